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

/** Returns the text of the file with the mutant. @throws when the text to replace does not occur exactly once. */
export function mutated({ name, file, find, replace }: Mutant, text: string): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": ${JSON.stringify(find)} occurs in ${file} ${parts.length - 1} times`);
  return parts.join(replace);
}

/** Runs `test` while the copy in `root` has the mutant, and then restores the copy. */
export async function withMutant<T>(mutant: Mutant, root: string, test: () => Promise<T>): Promise<T> {
  const path = join(root, mutant.file);
  const original = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, mutated(mutant, original));
    return await test();
  } catch (cause) {
    throw new Error(`mutant "${mutant.name}" of ${mutant.file}`, { cause });
  } finally {
    writeFileSync(path, original);
  }
}
