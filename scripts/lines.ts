/** Counts the lines of source in each folder: `npm run lines -- [commit]`. */
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { packageRoot } from '../platform/assets.ts';

/** Files that count as source. Tables in JSON count like code; other JSON is data of tests, or generated. */
const includedFiles = [/\.(?:tsx?|go|lua)$/, /^contract\/policy\/.*\.json$/, /^conformance\/mutants\/[^/]*\.json$/];
const excludedFiles = [
  /\.test\.tsx?$/,
  /_test\.go$/,
  /_gen\.go$/,
  /\/generated\//,
  /^module\/lua\/t\//,
  /\/testdata\//,
];

function runGit(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8', maxBuffer: 256 * 2 ** 20 });
}

const [commit] = process.argv.slice(2);
/** `git grep` counts the lines of each file: `[commit:]path:lines`. */
const countedFiles = runGit('grep', '--count', '--text', '', ...(commit === undefined ? [] : [commit]));
const counts = new Map<string, number>();
let total = 0;
for (const line of countedFiles.trim().split('\n')) {
  const [lines = '', path = ''] = line.split(':').reverse();
  if (!includedFiles.some((pattern) => pattern.test(path)) || excludedFiles.some((pattern) => pattern.test(path)))
    continue;
  const [folder = ''] = path.split('/');
  counts.set(folder, (counts.get(folder) ?? 0) + Number(lines));
  total += Number(lines);
}
for (const [folder, lines] of [...counts].sort(([, a], [, b]) => b - a))
  process.stdout.write(`${String(lines).padStart(7)}  ${folder}\n`);
process.stdout.write(`${String(total).padStart(7)}  in all\n`);
