/** Start-up: a whole `guardcli` process against an empty Node process of the same version. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { interleaved, wallMs } from './measure.ts';
import type { Row } from './row.ts';

const cli = join(packageRoot, 'dist/bin/guardcli.js');
const cases = [
  { name: 'guardcli test /x', args: ['test', '/x'], most: 2 },
  { name: 'guardcli --help', args: ['--help'], most: 1.5 },
] as const;

export async function benchCli(): Promise<Row[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'guard-bench-')); // a folder without a guard.json
  try {
    const node = (args: readonly string[]) => () => wallMs(process.execPath, args, { cwd });
    const [empty = Number.NaN, ...others] = await interleaved(15, [
      node(['-e', '0']),
      ...cases.map(({ args }) => node([cli, ...args])),
    ]);
    return cases.map(({ name, most }, index) => {
      const ms = others[index] ?? Number.NaN;
      const ratio = ms / empty;
      return {
        name,
        measured: `${ms.toFixed(0)} ms`,
        against: `node -e 0: ${empty.toFixed(0)} ms`,
        ratio,
        budget: `<= ${most}`,
        holds: ratio <= most,
      };
    });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
