/**
 * Updates the samples in the documentation with the output of `guardcli`: `npm run generate`. With `--check` it writes
 * nothing and exits with status 1 when a sample is stale.
 *
 * A sample is a comment with its command line, a code block, and `<!-- end -->`. Commands run in the root of the clone.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { runCaptured } from '../cli/testing/captured.ts';
import { packageRoot } from '../platform/assets.ts';

const sample = /(<!-- sample: guardcli (.+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Words of a command line. Single quotes group a word. */
const wordsOf = (line: string): string[] => (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));

/** Longer lines of a sample are truncated. */
const shortened = (text: string): string => text.replace(/^(.{117}).{4,}$/gm, '$1...');

async function block(line: string): Promise<string> {
  const { stdout, stderr } = await runCaptured(wordsOf(line), { cwd: packageRoot });
  return `\n\`\`\`\n$ guardcli ${line}\n${shortened(stdout + stderr)}\`\`\`\n\n`;
}

/** The page with the current output of every sample command. */
export async function withSamples(page: string): Promise<string> {
  const blocks: string[] = [];
  for (const [, , line = ''] of page.matchAll(sample)) blocks.push(await block(line));
  return page.replace(sample, (_, head, __, tail) => `${head}${blocks.shift()}${tail}`);
}

async function main(isCheck: boolean): Promise<void> {
  for (const file of ['README.md', ...globSync('docs/*.md', { cwd: packageRoot })]) {
    const path = join(packageRoot, file);
    const page = readFileSync(path, 'utf8');
    const wanted = await withSamples(page);
    if (wanted === page) continue;
    if (!isCheck) writeFileSync(path, wanted);
    process.stdout.write(`${isCheck ? 'stale' : 'written'}: ${file}\n`);
    if (isCheck) process.exitCode = 1;
  }
  if (process.exitCode === 1)
    process.stderr.write('samples are stale: run `npm run generate` and commit the changes\n');
}

if (import.meta.main) await main(process.argv.includes('--check'));
