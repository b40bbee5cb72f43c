/** Where our own files are, from the source tree, from dist/ and from the bundle alike. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findUp(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) throw new Error(`no ${name} above ${from}`);
  }
}

/** The folder of our package.json: of the clone, or of the installed package. */
export const packageRoot = findUp('package.json', import.meta.dirname);
