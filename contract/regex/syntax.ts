/**
 * The syntax tree of a pattern. The engine escapes everything but printable ASCII before it matches, so a set is a list
 * of printable characters.
 */

/** One character of `members`, which are sorted and already include flags `i` and `s`. An empty set matches nothing. */
export interface CharacterSet {
  readonly kind: 'set';
  readonly members: string;
}

export interface Assertion {
  readonly kind: 'assertion';
  readonly name: '^' | '$' | '\\A' | '\\z' | '\\b' | '\\B';
}

/** Parts in sequence. A sequence without parts matches the empty string. */
export interface Sequence {
  readonly kind: 'sequence';
  readonly parts: readonly RegexNode[];
}

export interface Alternation {
  readonly kind: 'alternation';
  readonly branches: readonly RegexNode[];
}

interface Group {
  readonly kind: 'group';
  /** Offset of the opening parenthesis in the pattern. */
  readonly at: number;
  readonly body: RegexNode;
}

export interface Repeat {
  readonly kind: 'repeat';
  /** Offset of the quantifier in the pattern. */
  readonly at: number;
  readonly body: RegexNode;
  readonly min: number;
  /** Infinity when there is no upper bound. */
  readonly max: number;
}

export type RegexNode = CharacterSet | Assertion | Sequence | Alternation | Group | Repeat;

const firstPrintable = 0x20;
const lastPrintable = 0x7e;

/** All characters that a subject can hold, in order. */
export const printable = Array.from({ length: lastPrintable - firstPrintable + 1 }, (_, index) =>
  String.fromCharCode(firstPrintable + index),
).join('');

/** Returns the set of the printable characters that `accepts` accepts. */
export function setOf(accepts: (character: string) => boolean): CharacterSet {
  return { kind: 'set', members: [...printable].filter(accepts).join('') };
}

/** Returns the set with both cases of its letters. */
export function ignoringCase(set: CharacterSet): CharacterSet {
  const members = new Set(set.members.toLowerCase() + set.members.toUpperCase());
  return { kind: 'set', members: [...members].sort().join('') };
}

const exactSets = new Map<string, CharacterSet>();
const eitherCaseSets = new Map<string, CharacterSet>();

/** Returns the set of one printable character. Patterns consist mostly of such sets, so they are shared. */
export function setOfOne(character: string, ignoreCase: boolean): CharacterSet {
  const exact = exactSets.getOrInsertComputed(character, (members) => ({ kind: 'set', members }));
  return ignoreCase ? eitherCaseSets.getOrInsertComputed(character, () => ignoringCase(exact)) : exact;
}
