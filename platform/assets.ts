/** Finds the files of this package. Works in the source tree, in dist/ and in a bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findUp(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) throw new Error(`no ${name} above ${from}`);
  }
}

/** The folder that contains the package's package.json: the clone or the installed package. */
export const packageRoot = findUp('package.json', import.meta.dirname);

/** Of the package, which is that of all programs and of the guard. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { readonly version: string }).version;
}
