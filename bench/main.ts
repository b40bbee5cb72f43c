/** `npm run bench [-- name[/part] ...] [--json]`: ratios in one run, never part of the tests. */
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
function runInTestImage(
  { inTestImage = 'full', sysctls = [], capabilities = [] }: Benchmark,
  names: readonly string[],
): Row[] {
  const settings = [
    ...sysctls.flatMap((sysctl) => ['--sysctl', sysctl]),
    ...capabilities.flatMap((capability) => ['--capability', capability]),
  ];
  const inImage = [join(packageRoot, 'scripts/in-test-image.ts'), '--image', inTestImage, ...settings, '--'];
  const args = [...inImage, process.execPath, import.meta.filename, ...names, '--json'];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: [...stdio] }));
}

const nameOf = (asked: string): string => asked.replace(/\/.*$/, '');

/** In the test image nothing is compiled. */
const isInTestImage = process.env[compilerVariable] !== undefined;

async function main(args: readonly string[]): Promise<void> {
  const json = args.includes('--json');
  const names = args.filter((argument) => argument !== '--json');
  const unknown = names.find((name) => !benchmarks.some((benchmark) => benchmark.name === nameOf(name)));
  if (unknown !== undefined) {
    const known = table(benchmarks.map(({ name, summary }) => [name, summary])).join('\n');
    process.stderr.write(`bench: no benchmark of that name; there are\n${known}\n`);
    process.exitCode = 2;
    return;
  }
  const rows: Row[] = [];
  for (const benchmark of benchmarks) {
    const { name, summary, run, inTestImage } = benchmark;
    const asked = names.length === 0 ? [name] : names.filter((asked) => nameOf(asked) === name);
    if (asked.length === 0) continue;
    if (inTestImage && !isInTestImage) {
      rows.push(...runInTestImage(benchmark, asked));
      continue;
    }
    process.stderr.write(`${name}: ${summary}\n`);
    rows.push(...(await run(asked.includes(name) ? [] : asked.map((part) => part.slice(name.length + 1)))));
    const thrown = takeThrown();
    if (thrown !== undefined) process.stderr.write(`${name}: ${thrown}\n`);
  }
  process.stdout.write(
    json ? `${JSON.stringify(rows, null, 2)}\n` : `${table([head, ...rows.map(cells)], { indent: '' }).join('\n')}\n`,
  );
}

await main(process.argv.slice(2));
