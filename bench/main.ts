/**
 * Runs the benchmarks: `npm run bench [-- name[/part] ...] [--brief] [--json]`. Without names all of them run, briefly. `--json`
 * prints one JSON object a line.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { compilerVariable } from '../artefacts/build.ts';
import { table } from '../cli/program/table.ts';
import { packageRoot } from '../platform/assets.ts';
import { benchmarks } from './index.ts';
import { measureBriefly } from './measure/length.ts';
import { type Benchmark, type Row, rowsIn } from './measure/row.ts';
import { drainDisturbances } from './measure/steal.ts';

function lineOf({ name, measured, against, ratio, budget, holds }: Row): string {
  const beside = against === undefined ? '' : `, against ${against}`;
  const shown = ratio === undefined ? '' : `, ratio ${ratio.toFixed(3)}`;
  return `${holds ? ' ' : '!'} ${name}: ${measured}${beside}${shown} [${budget}]`;
}

/** Runs one benchmark in the test image. Returns whether each row meets its budget. */
function runInTestImage(
  { inTestImage = 'full', sysctls = [], capabilities = [] }: Benchmark,
  args: readonly string[],
): boolean {
  const settings = [
    ...sysctls.flatMap((sysctl) => ['--sysctl', sysctl]),
    ...capabilities.flatMap((capability) => ['--capability', capability]),
  ];
  const inImage = [join(packageRoot, 'scripts/in-test-image.ts'), '--image', inTestImage, ...settings, '--'];
  const command = [...inImage, process.execPath, import.meta.filename, ...args];
  return spawnSync(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

const nameOf = (asked: string): string => asked.replace(/\/.*$/, '');

/** Only the test image sets this variable. */
const isInTestImage = process.env[compilerVariable] !== undefined;

async function runHere({ name, summary, run }: Benchmark, names: readonly string[], json: boolean): Promise<boolean> {
  process.stderr.write(`${name}: ${summary}\n`);
  const parts = names.includes(name) ? [] : names.map((part) => part.slice(name.length + 1));
  let holds = true;
  for await (const row of rowsIn(name, () => run(parts))) {
    process.stdout.write(`${json ? JSON.stringify(row) : lineOf(row)}\n`);
    holds &&= row.holds;
  }
  const thrown = drainDisturbances();
  if (thrown !== undefined) process.stderr.write(`${name}: ${thrown}\n`);
  return holds;
}

async function main(args: readonly string[]): Promise<void> {
  const json = args.includes('--json');
  const names = args.filter((argument) => !argument.startsWith('--'));
  const isBrief = args.includes('--brief') || names.length === 0;
  if (isBrief) measureBriefly();
  const options = [...(isBrief ? ['--brief'] : []), ...(json ? ['--json'] : [])];
  const unknown = names.find((name) => !benchmarks.some((benchmark) => benchmark.name === nameOf(name)));
  if (unknown !== undefined) {
    const known = table(benchmarks.map(({ name, summary }) => [name, summary])).join('\n');
    process.stderr.write(`bench: no benchmark of that name; there are\n${known}\n`);
    process.exitCode = 2;
    return;
  }
  for (const benchmark of benchmarks) {
    const { name, inTestImage, isNamedOnly = false } = benchmark;
    const everything = isNamedOnly ? [] : [name];
    const chosen = names.length === 0 ? everything : names.filter((one) => nameOf(one) === name);
    if (chosen.length === 0) continue;
    const start = performance.now();
    const holds =
      inTestImage && !isInTestImage
        ? runInTestImage(benchmark, [...chosen, ...options])
        : await runHere(benchmark, chosen, json);
    // Outside of the test image, the time includes its start.
    if (!isInTestImage) process.stderr.write(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
    if (!holds) process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
