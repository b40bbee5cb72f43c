/** Writes examples/ci/: the output of `guardcli init` for all targets. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ciFiles } from '../../cli/policy/init/ci.ts';
import { targets } from '../../cli/targets/table.ts';
import { packageRoot } from '../../platform/assets.ts';

/** Returns the names of stale files. `isCheck`: does not write them. */
export function staleExamples(isCheck: boolean): string[] {
  const names = targets.map(({ name, neutral = name }) => neutral);
  return Object.values(ciFiles).flatMap(({ example, text, mode }) => {
    const file = join(packageRoot, 'examples/ci', example);
    if (existsSync(file) && readFileSync(file, 'utf8') === text(names)) return [];
    if (!isCheck) {
      writeFileSync(file, text(names));
      chmodSync(file, mode);
    }
    return [`examples/ci/${example}`];
  });
}
