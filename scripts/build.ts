/** `npm run build`: dist/ from nothing, so that no test of a file that is gone runs on. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { bundle } from './bundle.ts';

rmSync(join(packageRoot, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [join(packageRoot, 'node_modules/typescript/bin/tsc')], {
  cwd: packageRoot,
  stdio: 'inherit',
});
await bundle();
