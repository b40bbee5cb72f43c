/** A mutant: one small fault in the engine that the conformance data must detect. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Mutant {
  readonly name: string;
  /** Path from the root of the project. */
  readonly file: string;
  /** Text that occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

export type Edit = readonly [name: string, find: string, replace: string];

export const mutantsOf = (file: string, edits: readonly Edit[]): Mutant[] =>
  edits.map(([name, find, replace]) => ({ name, file, find, replace }));

/** @throws when the text to replace does not occur exactly once */
export function apply({ name, file, find, replace }: Mutant, root: string): void {
  const path = join(root, file);
  const parts = readFileSync(path, 'utf8').split(find);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": ${JSON.stringify(find)} occurs in ${file} ${parts.length - 1} times`);
  writeFileSync(path, parts.join(replace));
}
