import { matchesGlob } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Names that are compared in one turn of the event loop, which takes some milliseconds. */
const namesPerTurn = 1000;

/** Returns the names of a pattern. Compares in several turns: a folder can have a hundred thousand files. */
export async function matching(names: readonly string[], pattern: string): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < names.length; at += namesPerTurn) {
    if (at > 0) await nextTurn();
    found.push(...names.slice(at, at + namesPerTurn).filter((name) => matchesGlob(name, pattern)));
  }
  return found;
}
