/** Finds the known word that a user may have meant. */
import { camelCase } from './keys.ts';
import { synonymsOf } from './synonyms.ts';

/** Maximum length of a compared word. Keys and rule ids are shorter, and the comparison takes quadratic time. */
const longestWord = 64;

/** Returns the number of edits between two words: insertion, deletion, replacement, and swap of adjacent characters. */
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

/** Minimum length of a word that matches the beginning of another one. Shorter words begin too many others. */
const shortestBeginning = 3;
/** The same for its end: words such as `file` and `mode` end many keys. */
const shortestEnd = 6;

/** Returns the shortest entry that begins with the word, or else the shortest one that ends with it. */
function continuing(word: string, known: readonly string[]): string | undefined {
  const plain = plainSpelling(word);
  const [begins, ends] = [word.length >= shortestBeginning, word.length >= shortestEnd];
  const byLength = known.toSorted((a, b) => a.length - b.length);
  return (
    byLength.find((candidate) => begins && plainSpelling(candidate).startsWith(plain)) ??
    byLength.find((candidate) => ends && plainSpelling(candidate).endsWith(plain))
  );
}

/** Returns the entry that differs in the fewest characters, and in at most a third of them. */
function mostSimilar(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let distance = Math.floor(word.length / 3) + 1;
  for (const candidate of known) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < distance) [best, distance] = [candidate, edits];
  }
  return best;
}

/**
 * Returns the entry that is nearest to `word`: another spelling, the word that replaces one of another tool, an entry
 * that differs in at most a third of the characters, or an entry that begins or ends with `word`. Returns undefined when
 * no entry is near.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  const words = [...known];
  const same = words.find((candidate) => isSameWord(candidate, word));
  const synonym = () => synonymsOf(word).find((candidate) => words.includes(candidate));
  return same ?? synonym() ?? mostSimilar(word, words) ?? continuing(word, words);
}

/** Returns `did you mean "x"?`, or undefined when no entry of `known` is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const match = nearest(word, known);
  return match === undefined ? undefined : `did you mean "${match}"?`;
}
