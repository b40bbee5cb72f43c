/**
 * Runs the blocks of the documentation, and writes the output of sessions and other generated passages: `scripts/node
 * scripts/pages/main.ts [--check] [run] [sandbox] [image]`. Default: `run`. With `--check` it writes nothing, and fails
 * for stale pages.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ciFiles } from '../../cli/policy/init/ci.ts';
import { targets } from '../../cli/targets/table.ts';
import { packageRoot } from '../../platform/assets.ts';
import { pages, readPage, shellBlocks } from './blocks.ts';
import { staleKeys } from './keys.ts';
import { problemsOf } from './problems.ts';
import { stalePassages } from './released.ts';
import { type Result, runPage, withResults } from './run.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
const chosenWays = positionals.length > 0 ? positionals : ['run'];

const printLine = (text: string): void => void process.stdout.write(`${text}\n`);

async function runWay(page: string, way: string): Promise<readonly Result[]> {
  const text = readPage(page);
  const results = await runPage(page, text, way);
  const expectedPage = withResults(text, results);
  if (!values.check && expectedPage !== text) {
    writeFileSync(join(packageRoot, page), expectedPage);
    printLine(`written: ${page}`);
  }
  return results;
}

/** Writes examples/ci/, the output of `guardcli init`. Returns the names of stale files. */
function staleExamples(isCheck: boolean): string[] {
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

/** True when the result is a failure. Problems of a session count only with `--check`: without it, it is rewritten. */
const isFailed = ({ block, problems }: Result): boolean =>
  problems.length > 0 && (values.check === true || block.language === 'sh');

const problems = (await Promise.all(pages.map((page) => problemsOf(page)))).flat();
let passedCount = 0;
for (const page of pages)
  for (const way of chosenWays)
    for (const result of await runWay(page, way)) {
      if (isFailed(result))
        problems.push(...result.problems.map((problem) => `${page}:${result.block.line}: ${problem}`));
      else passedCount += 1;
    }
const isCheck = values.check === true;
for (const file of [...staleExamples(isCheck), ...(await staleKeys(isCheck)), ...stalePassages(isCheck)])
  if (values.check) problems.push(`${file} is stale: run \`npm run generate\``);
  else printLine(`written: ${file}`);
const blocks = [...Map.groupBy(shellBlocks(), ({ way }) => way)].map(([way, list]) => `${list.length} ${way}`);
printLine(`blocks with shell commands: ${blocks.join(', ')}`);
for (const problem of problems) printLine(problem);
printLine(`${passedCount} passed, ${problems.length} failed`);
process.exitCode = problems.length > 0 ? 1 : 0;
