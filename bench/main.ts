/** `npm run bench [-- name ...] [--json]`: ratios in one run, never part of the tests. */
import { table } from '../cli/program/table.ts';
import { benchmarks } from './index.ts';
import type { Row } from './row.ts';

const head = ['', 'measured', 'against', 'ratio', 'budget'];

function cells({ name, measured, against = '', ratio, budget, holds }: Row): string[] {
  return [`${holds ? ' ' : '!'} ${name}`, measured, against, ratio?.toFixed(3) ?? '', budget];
}

async function main(args: readonly string[]): Promise<void> {
  const json = args.includes('--json');
  const names = args.filter((argument) => argument !== '--json');
  const unknown = names.find((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown !== undefined) {
    const known = table(benchmarks.map(({ name, summary }) => [name, summary])).join('\n');
    process.stderr.write(`bench: no benchmark of that name; there are\n${known}\n`);
    process.exitCode = 2;
    return;
  }
  const rows: Row[] = [];
  for (const benchmark of benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))) {
    process.stderr.write(`${benchmark.name}: ${benchmark.summary}\n`);
    rows.push(...(await benchmark.run()));
  }
  process.stdout.write(
    json ? `${JSON.stringify(rows, null, 2)}\n` : `${table([head, ...rows.map(cells)], { indent: '' }).join('\n')}\n`,
  );
}

await main(process.argv.slice(2));
