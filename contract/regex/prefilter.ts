/**
 * Finds the rules that can match a text by their literals. Nearly all requests then need no regular expression.
 * RE2.Set, which combines all patterns, would take 10 ms to compile, 60 MB, and four times as long for each text.
 */
import { textEnd, textStart } from './literals.ts';
import { createTrie } from './trie.ts';

/** Returns the indexes of the rules that may match `text`, ascending. `text` is printable ASCII. */
export type Prefilter = (text: string) => readonly number[];

/**
 * Characters of a literal that are searched. Longer ones would make a trie of all rules exceed its capacity, and a text
 * with the first 16 characters nearly always has the other ones.
 */
const searchedCharacters = 16;

/** Number of texts that are searched without a trie. Building a trie does not pay off for a single evaluation. */
const textsBeforeTrie = 32;

type Literals = readonly string[];

/**
 * Returns the rules that may match. `marked` is the text between `textStart` and `textEnd`. A rule without literals may
 * match any text.
 */
function search(literalsOfRules: readonly Literals[], marked: string): number[] {
  return [...literalsOfRules.keys()].filter((rule) => {
    const literals = literalsOfRules[rule] as Literals;
    return literals.length === 0 || literals.some((literal) => marked.includes(literal));
  });
}

/** Compiles `search` to a trie. Rules beyond the capacity of the trie may match any text. */
function compileSearch(literalsOfRules: readonly Literals[]): (marked: string) => readonly number[] {
  const trie = createTrie(literalsOfRules.flat().join('').length);
  const always = [...literalsOfRules.keys()].filter((rule) => {
    const literals = literalsOfRules[rule] as Literals;
    return literals.length === 0 || !trie.add(rule, literals);
  });
  return (marked) => {
    const found = trie.ownersIn(marked);
    return found ? [...found, ...always].sort((one, other) => one - other) : always;
  };
}

/** Returns a prefilter for rules with these literals, which come from `requiredLiterals`. */
export function createPrefilter(literals: readonly Literals[]): Prefilter {
  const literalsOfRules = literals.map((list) => list.map((literal) => literal.slice(0, searchedCharacters)));
  let texts = 0;
  let compiled: ((marked: string) => readonly number[]) | undefined;
  return (text) => {
    const marked = textStart + text.toLowerCase() + textEnd;
    texts += 1;
    if (texts <= textsBeforeTrie) return search(literalsOfRules, marked);
    compiled ??= compileSearch(literalsOfRules);
    return compiled(marked);
  };
}
