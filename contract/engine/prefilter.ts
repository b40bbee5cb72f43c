/**
 * Which rules can match a text at all: one walk over the text through a trie of the literals that they need.
 * Nearly all traffic needs no regular expression then; the rest needs one or two, compiled when first needed. A combined
 * automaton (RE2.Set) was measured: it takes 10 ms to compile, 60 MB of states, and four times as long per text.
 */
import { textEnd, textStart } from '../regex/literals.ts';

/** Indexes of the rules that may match `text`, ascending. `text` is printable ASCII. */
export type Prefilter = (text: string) => readonly number[];

const asciiCharacters = 0x80;
/** States of the trie: bounds its memory (a state has 256 bytes). Rules that find no room are always tried. */
const maxStates = 65_535;

/** Characters of the trie by character code: lower case only, so that both cases are found. */
const lowerCase = Uint8Array.from({ length: asciiCharacters }, (_, code) =>
  String.fromCharCode(code).toLowerCase().charCodeAt(0),
);

interface Trie {
  /** The state behind state `s` and character `c` stands at `s * asciiCharacters + c`; 0, the root, is none. */
  readonly next: Uint16Array;
  /** Rules of which a literal ends in a state. */
  readonly ends: (number[] | undefined)[];
  states: number;
}

function insert(trie: Trie, literal: string, rule: number): void {
  let state = 0;
  for (let at = 0; at < literal.length; at += 1) {
    const slot = state * asciiCharacters + literal.charCodeAt(at);
    if (trie.next[slot] === 0) trie.next[slot] = trie.states++;
    state = trie.next[slot] as number;
  }
  trie.ends[state] = [...(trie.ends[state] ?? []), rule];
}

/** The text between its two end marks, as characters of the trie. */
function characters(text: string): Uint8Array {
  const codes = new Uint8Array(text.length + 2);
  codes[0] = textStart.charCodeAt(0);
  for (let at = 0; at < text.length; at += 1) codes[at + 1] = lowerCase[text.charCodeAt(at)] as number;
  codes[text.length + 1] = textEnd.charCodeAt(0);
  return codes;
}

/** Rules whose literals occur in the text. Every position starts a walk, which ends after a few characters. */
function walk(trie: Trie, codes: Uint8Array): Set<number> | undefined {
  let found: Set<number> | undefined;
  for (let start = 0; start < codes.length; start += 1) {
    let state = 0;
    for (let at = start; at < codes.length; at += 1) {
      state = trie.next[state * asciiCharacters + (codes[at] as number)] as number;
      if (state === 0) break;
      const rules = trie.ends[state];
      if (!rules) continue;
      found ??= new Set();
      for (const rule of rules) found.add(rule);
    }
  }
  return found;
}

/** A prefilter for rules with these literals each (`requiredLiterals`); a rule without literals is always tried. */
export function createPrefilter(literalsOfRules: readonly (readonly string[])[]): Prefilter {
  const most = literalsOfRules.flat().reduce((sum, literal) => sum + literal.length, 1);
  const room = Math.min(most, maxStates);
  const trie: Trie = { next: new Uint16Array(room * asciiCharacters), ends: [], states: 1 };
  const always: number[] = [];
  for (const [rule, literals] of literalsOfRules.entries()) {
    const needed = literals.reduce((sum, literal) => sum + literal.length, 0);
    if (literals.length === 0 || trie.states + needed > room) always.push(rule);
    else for (const literal of literals) insert(trie, literal, rule);
  }
  return (text) => {
    const found = walk(trie, characters(text));
    return found ? [...found, ...always].sort((one, other) => one - other) : always;
  };
}
