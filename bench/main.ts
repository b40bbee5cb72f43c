/** `npm run bench [-- name ...] [--json]`: ratios in one run, never part of the tests. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { table } from '../cli/program/table.ts';
import { packageRoot } from '../platform/assets.ts';
import { compilerVariable } from '../sandbox-images/build.ts';
import { benchmarks } from './index.ts';
import type { Benchmark, Row } from './row.ts';
import { takeThrown } from './steal.ts';

const head = ['', 'measured', 'against', 'ratio', 'budget'];

function cells({ name, measured, against = '', ratio, budget, holds }: Row): string[] {
  return [`${holds ? ' ' : '!'} ${name}`, measured, against, ratio?.toFixed(3) ?? '', budget];
}

/** The same program in the test image, with this benchmark alone. */
function runInTestImage({ name, sysctls = [] }: Benchmark): Row[] {
  const settings = sysctls.flatMap((sysctl) => ['--sysctl', sysctl]);
  const inImage = [join(packageRoot, 'scripts/in-test-image.ts'), '--image', 'full', ...settings, '--'];
  const args = [...inImage, process.execPath, import.meta.filename, name, '--json'];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: [...stdio] }));
}

/** In the test image nothing is compiled. */
const isInTestImage = process.env[compilerVariable] !== undefined;

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
    const { name, summary, run, inTestImage } = benchmark;
    if (inTestImage && !isInTestImage) {
      rows.push(...runInTestImage(benchmark));
      continue;
    }
    process.stderr.write(`${name}: ${summary}\n`);
    rows.push(...(await run()));
    const thrown = takeThrown();
    if (thrown !== undefined) process.stderr.write(`${name}: ${thrown}\n`);
  }
  process.stdout.write(
    json ? `${JSON.stringify(rows, null, 2)}\n` : `${table([head, ...rows.map(cells)], { indent: '' }).join('\n')}\n`,
  );
}

await main(process.argv.slice(2));
