import { extname } from 'node:path';
import { openLibc } from '../../process/libc/open.ts';
import { conformanceTests } from '../testing/conformance/index.ts';
import { openLinuxPlane } from './plane.ts';

const module = import.meta.resolve(`./plane${extname(import.meta.filename)}`);

if ('libc' in openLibc()) conformanceTests({ create: openLinuxPlane, module, exported: 'openLinuxPlane' });
