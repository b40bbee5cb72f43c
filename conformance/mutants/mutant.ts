/** A mutant: one small mistake in the engine, which the conformance data has to notice. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Mutant {
  /** What is wrong, as a statement. */
  readonly name: string;
  /** From the root of the project. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

export type Edit = readonly [name: string, find: string, replace: string];

/** Mutants of one file. */
export const mutantsOf = (file: string, edits: readonly Edit[]): Mutant[] =>
  edits.map(([name, find, replace]) => ({ name, file, find, replace }));

/** Makes the mistake in a copy of the project. Throws when the text to replace is not there exactly once. */
export function apply({ name, file, find, replace }: Mutant, root: string): void {
  const path = join(root, file);
  const parts = readFileSync(path, 'utf8').split(find);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": ${JSON.stringify(find)} occurs in ${file} ${parts.length - 1} times`);
  writeFileSync(path, parts.join(replace));
}
