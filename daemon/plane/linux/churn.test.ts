import { openLibc } from '../../process/libc/open.ts';
import { churnTests } from '../testing/conformance/churn.ts';
import { openLinuxPlane } from './plane.ts';

if ('libc' in openLibc()) churnTests(openLinuxPlane, 10_000);
