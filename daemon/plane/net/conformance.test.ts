import { extname } from 'node:path';
import { conformanceTests } from '../testing/conformance/index.ts';
import { createNetPlane } from './plane.ts';

const module = import.meta.resolve(`./plane${extname(import.meta.filename)}`);

conformanceTests({ create: createNetPlane, module, exported: 'createNetPlane' });
