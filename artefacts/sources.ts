/** Lists the source files of an artefact and computes the hash that identifies its result. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Artefact } from './artefacts.ts';

const isSource = (name: string): boolean => /(\.go|^go\.(mod|sum))$/.test(name) && !name.endsWith('_test.go');

/** Returns sorted paths of Go sources and module files relative to `root`, without tests and their data. */
export function sourceFiles(root: string, inputs: readonly string[]): string[] {
  const files: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== 'testdata') walk(path);
      else if (entry.isFile() && isSource(entry.name)) files.push(path);
    }
  };
  inputs.forEach(walk);
  return files.sort();
}

/** Returns a hash of all bytes that can change the result: sources, row of the table, compiler, target. */
export function contentHash(root: string, artefact: Artefact, ...circumstances: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([artefact, circumstances]));
  for (const file of sourceFiles(root, artefact.inputs)) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 20);
}
