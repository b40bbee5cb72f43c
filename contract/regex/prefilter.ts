/**
 * Which rules can match a text at all, by the literals that each requires. Nearly all requests then need no regular
 * expression; the others need one or two. A combined automaton (RE2.Set) was measured: it takes 10 ms to compile, 60
 * MB of states, and four times as long for each text.
 */
import { textEnd, textStart } from './literals.ts';
import { createTrie } from './trie.ts';

/** Indexes of the rules that may match `text`, ascending. `text` is printable ASCII. */
export type Prefilter = (text: string) => readonly number[];

/** Number of texts that are searched for each literal, before a trie is built: one evaluation does not repay it. */
const textsBeforeTrie = 32;

type Literals = readonly string[];

/** Rules whose literals are in a marked text. A rule without literals may match any text. */
function search(literalsOfRules: readonly Literals[], marked: string): number[] {
  return [...literalsOfRules.keys()].filter((rule) => {
    const literals = literalsOfRules[rule] as Literals;
    return literals.length === 0 || literals.some((literal) => marked.includes(literal));
  });
}

/** The same as `search`, from a trie. Rules beyond its capacity may match any text. */
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

/** A prefilter for rules with these literals each, from `requiredLiterals`. */
export function createPrefilter(literalsOfRules: readonly Literals[]): Prefilter {
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
