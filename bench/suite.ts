/** A suite of single cases, as YAML that people write: the whole process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { interleaved, wallMs } from './measure.ts';
import type { Row } from './row.ts';

const cli = join(packageRoot, 'dist/bin/guardcli.js');
const [count, mostMs] = [10_000, 1000];

const caseText = (index: number): string =>
  index % 2 === 0
    ? `  - name: case ${index}\n    request: { path: /page/${index} }\n    expect: { verdict: allowed }\n`
    : `  - name: case ${index}\n    request: { path: /.env?${index} }\n    expect: { verdict: blocked, rule: env-file }\n`;

export async function benchSuite(): Promise<Row[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  try {
    writeFileSync(join(cwd, 'guard.json'), '{}');
    writeFileSync(
      join(cwd, 'cases.yaml'),
      `cases:\n${Array.from({ length: count }, (_, index) => caseText(index)).join('')}`,
    );
    const args = [cli, 'test', '--suite', 'cases.yaml'];
    const [ms = Number.NaN] = await interleaved(5, [() => wallMs(process.execPath, args, { cwd })]);
    const name = `guardcli test --suite, ${count} cases in YAML`;
    return [{ name, measured: `${ms.toFixed(0)} ms`, budget: `<= ${mostMs} ms`, holds: ms <= mostMs }];
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
