/** Finds the known word that a user may have meant. */
import { camelCase } from './keys.ts';

/** The comparison takes quadratic time. Keys and rule ids are shorter. */
const longestWord = 64;

/** Optimal string alignment: insertion, deletion, replacement, and swap of adjacent characters. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (beforeLast[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, (last[j] as number) + 1, (row[j - 1] as number) + 1, swap));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}

const plainSpelling = (word: string): string => camelCase(word.replaceAll('-', '_')).toLowerCase();

export function isSameWord(a: string, b: string): boolean {
  return plainSpelling(a) === plainSpelling(b);
}

/** Shorter words begin too many others. */
const shortestBeginning = 3;

function beginningWith(word: string, known: readonly string[]): string | undefined {
  if (word.length < shortestBeginning) return undefined;
  const longer = known.filter((candidate) => plainSpelling(candidate).startsWith(plainSpelling(word)));
  return longer.sort((a, b) => a.length - b.length)[0];
}

/** Another spelling, a word with at most a third of its characters edited, or a longer word. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  const words = [...known];
  let best: string | undefined;
  let distance = Math.floor(word.length / 3) + 1;
  for (const candidate of words) {
    if (isSameWord(candidate, word)) return candidate;
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < distance) [best, distance] = [candidate, edits];
  }
  return best ?? beginningWith(word, words);
}

/** Returns undefined when no entry is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const match = nearest(word, known);
  return match === undefined ? undefined : `did you mean "${match}"?`;
}
