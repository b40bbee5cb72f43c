/** Counts the lines of each folder by kind: `npm run lines -- [commit]`. */
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { packageRoot } from '../platform/assets.ts';

/** Kinds of files. The first whose patterns match counts a file; other files, such as generated ones, are not counted. */
const kinds = [
  { name: 'generated', patterns: [/_gen\.go$/, /\/generated\//] },
  { name: 'tests', patterns: [/\.test\.tsx?$/, /_test\.go$/, /^module\/lua\/t\//] },
  { name: 'helpers', patterns: [/\/testing\//, /^e2e\/.*\.tsx?$/] },
  { name: 'data', patterns: [/^contract\/.*\.json$/, /^conformance\/mutants\/[^/]*\.json$/] },
  { name: 'source', patterns: [/\.(?:tsx?|go|lua)$/] },
] as const;
const columns = ['source', 'data', 'helpers', 'tests'] as const;

function runGit(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8', maxBuffer: 256 * 2 ** 20 });
}

type Counts = Record<string, number>;

const [commit] = process.argv.slice(2);
/** `git grep` counts the lines of each file: `[commit:]path:lines`. */
const countedFiles = runGit('grep', '--count', '--text', '', ...(commit === undefined ? [] : [commit]));
const folders = new Map<string, Counts>([['in all', {}]]);
for (const line of countedFiles.trim().split('\n')) {
  const [lines = '', path = ''] = line.split(':').reverse();
  const kind = kinds.find(({ patterns }) => patterns.some((pattern) => pattern.test(path)))?.name ?? '';
  const [folder = ''] = path.split('/');
  for (const name of [folder, 'in all']) {
    const counts = folders.get(name) ?? {};
    counts[kind] = (counts[kind] ?? 0) + Number(lines);
    folders.set(name, counts);
  }
}
const cell = (text: string | number): string => String(text).padStart(8);
const sumOf = (counts: Counts): number => columns.reduce((sum, column) => sum + (counts[column] ?? 0), 0);
process.stdout.write(`${columns.map(cell).join('')}\n`);
for (const [folder, counts] of [...folders].sort(([, a], [, b]) => sumOf(a) - sumOf(b)).filter(([, a]) => sumOf(a) > 0))
  process.stdout.write(`${columns.map((column) => cell(counts[column] ?? 0)).join('')}  ${folder}\n`);
