/** The version in package.json. Works in the sources, in dist/ and in the bundle. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

function readPackageFile(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      return readFileSync(join(folder, 'package.json'), 'utf8');
    } catch (error) {
      if (folder === dirname(folder)) throw error;
    }
  }
}

export const version: string = JSON.parse(readPackageFile(import.meta.dirname)).version;
