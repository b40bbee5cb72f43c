/** Finds names in the walks and recipes of docs/development.md that the sources do not have. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';

const tracked = execFileSync('git', ['ls-files'], { cwd: packageRoot, encoding: 'utf8' }).trim().split('\n');

const isPath = (name: string): boolean =>
  /^[\w.@*<>/-]+$/.test(name) && /\/|\.(?:tsx?|go|lua|json|yaml|md|caddytest|snapshot)$/.test(name);
const isName = (name: string): boolean => /^[#_]?[A-Za-z][\w.]*$/.test(name);

/**
 * Returns the files of a path from the root, or of a file name. In place of `<mode>` is any name. A folder has all its
 * files.
 */
function filesOf(path: string): string[] {
  const pattern = path.replaceAll(/<[^>]+>/g, '*').replace(/\/$/, '');
  const globs = [pattern, `**/${pattern}`, `${pattern}/**`];
  if (pattern.includes('*')) return tracked.filter((file) => globs.some((glob) => matchesGlob(file, glob)));
  return tracked.filter((file) => file === pattern || file.startsWith(`${pattern}/`) || basename(file) === pattern);
}

/** Texts of files without comments, in which the name of removed code can remain. */
const codes = new Map<string, string>();

function codeOf(file: string): string {
  const known = codes.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(packageRoot, file), 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?:^|\s)(?:\/\/|--) .*$/gm, '');
  codes.set(file, code);
  return code;
}

const isSource = (file: string): boolean => /\.(?:tsx?|go|lua|json|yaml)$/.test(file);

function isIn(name: string, files: readonly string[]): boolean {
  const word = new RegExp(`(?<![\\w#])${name.replaceAll('.', '\\.')}(?!\\w)`);
  return files.some((file) => isSource(file) && codeOf(file).includes(name) && word.test(codeOf(file)));
}

const quoted = (text: string): string[] => Array.from(text.matchAll(/`([^`]+)`/g), ([, name]) => name as string);

/** Names before `in`, and the file behind it. */
const placed = /(`[^`]+`(?:(?:, | and |, and )`[^`]+`)*)\s+in\s+`([^`]+)`/g;

/** A file, and the names behind its colon. */
const listed = /`([^`]+)`:\s+(`[^`]+`(?:(?:, | and | or |, and )`[^`]+`)*)(?=[.;,\s])/g;

/** Returns the problems of a text. Names without a file must be in the code anywhere. */
export function nameProblems(text: string): string[] {
  const paths = quoted(text).filter((name) => isPath(name) && !name.startsWith('dist/'));
  const names = new Set(quoted(text).filter((name) => isName(name) && !isPath(name)));
  const places = [
    ...Array.from(text.matchAll(placed), ([, list = '', path = '']) => ({ list, path })),
    ...Array.from(text.matchAll(listed), ([, path = '', list = '']) => ({ list, path })),
  ];
  return [
    ...paths.filter((path) => filesOf(path).length === 0).map((path) => `there is no file ${path}`),
    ...places.flatMap(({ list, path }) =>
      quoted(list)
        .filter((name) => isName(name) && isPath(path) && !isIn(name, filesOf(path)))
        .map((name) => `${name} is not in ${path}`),
    ),
    ...[...names].filter((name) => !isIn(name, tracked)).map((name) => `${name} is not in the sources`),
  ];
}
