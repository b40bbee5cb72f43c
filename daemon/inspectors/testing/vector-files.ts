/** The vector files. The protocol is the first part of a name: `smtp-postfix.json` contains smtp conversations. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Protocol } from '../../../contract/daemon/protocols.ts';
import type { Vector } from './vectors.ts';

export interface VectorFile {
  readonly name: string;
  readonly protocol: Protocol;
  readonly vectors: readonly Vector[];
}

/** The folder of the vectors, for code in the sources and in dist/. */
export const vectorFolder = join(import.meta.dirname.replace(/\/dist\/daemon\//, '/daemon/'), '../vectors');

export function readVectors(): VectorFile[] {
  const names = readdirSync(vectorFolder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => ({
    name,
    protocol: (name.split(/[-.]/)[0] ?? '') as Protocol,
    vectors: JSON.parse(readFileSync(join(vectorFolder, name), 'utf8')) as Vector[],
  }));
}
