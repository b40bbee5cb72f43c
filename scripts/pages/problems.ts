/** Finds blocks that no test covers, and command lines that the programs refuse. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { type Block, blocksOf, isShell, readPage, scriptOf, type Way, ways } from './blocks.ts';
import { inlineCommands, refusals } from './command-lines.ts';

function syntaxProblem(script: string): string[] {
  try {
    execFileSync('bash', ['-n'], { input: script, stdio: ['pipe', 'pipe', 'pipe'] });
    return [];
  } catch (error) {
    return [`bash: ${String((error as { stderr: unknown }).stderr).trimEnd()}`];
  }
}

function testProblem({ page, detail }: Block): string[] {
  const file = join(packageRoot, detail);
  if (!existsSync(file)) return [`there is no test ${detail}`];
  return readFileSync(file, 'utf8').includes(`'${page}'`) ? [] : [`${detail} does not read ${page}`];
}

function wayProblem(block: Block): string[] {
  const { way, detail } = block;
  if (!(way in ways)) return [`its tests are unknown; write one of ${Object.keys(ways).join(', ')} after the language`];
  const requiredWords = ways[way as Way];
  if ((requiredWords === 'nothing') !== (detail === '')) return [`${requiredWords} must follow the word ${way}`];
  return way === 'tested-by' ? testProblem(block) : [];
}

async function shellProblems(block: Block): Promise<string[]> {
  const script = scriptOf(block);
  if (script.trim() === '') return ['it has no command'];
  return [...wayProblem(block), ...syntaxProblem(script), ...(await refusals(script))];
}

/** Finds sessions in blocks of another language, because these are not tested. */
const otherProblems = ({ body }: Block): string[] =>
  /^\$ /m.test(body) ? ['it has commands after $; its language must be console'] : [];

/** Returns the problems of a page. Each names the page, and the line of a block. */
export async function problemsOf(page: string, text = readPage(page)): Promise<string[]> {
  const ofBlocks = blocksOf(page, text).map(async (block) => {
    const found = isShell(block) ? await shellProblems(block) : otherProblems(block);
    return found.map((problem) => `${page}:${block.line}: ${problem}`);
  });
  // Ignores missing arguments: a text can name a command alone.
  const ofText = inlineCommands(text).map(async (line) =>
    (await refusals(line))
      .filter((problem) => !problem.includes('missing required argument'))
      .map((problem) => `${page}: ${problem}`),
  );
  return (await Promise.all([...ofBlocks, ...ofText])).flat();
}
