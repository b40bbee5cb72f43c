/** `npm run bench [-- name ...] [--json]`: ratios in one run, never part of the tests. */
import { benchmarks } from './index.ts';
import type { Row } from './row.ts';

function table(rows: readonly Row[]): string {
  const lines = [['', 'measured', 'against', 'ratio', 'budget']];
  for (const row of rows)
    lines.push([
      `${row.holds ? ' ' : '!'} ${row.name}`,
      row.measured,
      row.against ?? '',
      row.ratio?.toFixed(3) ?? '',
      row.budget,
    ]);
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

async function main(args: readonly string[]): Promise<void> {
  const json = args.includes('--json');
  const names = args.filter((argument) => argument !== '--json');
  const unknown = names.find((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown !== undefined) {
    const known = benchmarks.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n');
    process.stderr.write(`bench: no benchmark of that name; there are\n${known}\n`);
    process.exitCode = 2;
    return;
  }
  const rows: Row[] = [];
  for (const benchmark of benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))) {
    process.stderr.write(`${benchmark.name}: ${benchmark.summary}\n`);
    rows.push(...(await benchmark.run()));
  }
  process.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : `${table(rows)}\n`);
}

await main(process.argv.slice(2));
