/**
 * Finds literals for prefilters: a text that contains none of them cannot match the pattern. Literals are in lower
 * case and are searched in a lower-cased text.
 */
import { parseRegex } from './grammar.ts';
import type { Alternation, RegexNode, Repeat, Sequence } from './syntax.ts';

/** Characters that mark the ends of a text in literals, for `^` and `$`. No subject has control characters. */
export const textStart = '\x01';
export const textEnd = '\x02';

/** Bounds of the lists of literals. module/lua has the same bounds and finds the same literals. */
export const literalBounds = {
  /** Length of a list. A longer list is shortened by cutting its literals to prefixes. */
  literals: 256,
  /** Lengths to which literals are cut, in this order, until the list is short enough. */
  cuts: [64, 12, 8, 6, 5, 4, 3, 2],
  /** Length of a list while it is being built. */
  joined: 1024,
  /** Maximum members of a character set, and texts of an optional part, that are expanded. */
  members: 8,
  /** Maximum copies of a repeat that is expanded. */
  copies: 4,
} as const;

type Texts = readonly string[];

/** Facts about every text that a node matches. */
interface Facts {
  /** The complete list of texts; absent when there are too many. */
  readonly exact?: Texts | undefined;
  /** Every text begins with one of these. The empty text means unknown. */
  readonly prefixes: Texts;
  readonly suffixes: Texts;
  /** Every text contains one of these. An empty list means unknown. */
  readonly required: Texts;
  /**
   * For a repeat that can match the empty text: the character with which all its other texts end. Undefined when
   * unknown.
   */
  readonly lastIfPresent?: Texts | undefined;
}

const anything: Facts = { prefixes: [''], suffixes: [''], required: [] };

const distinct = (texts: Texts): Texts => [...new Set(texts)];

/** Removes texts that contain another text of the list. Returns undefined when too many remain. */
function minimal(texts: Texts): Texts | undefined {
  const kept: string[] = [];
  let shorter = 0; // number of shorter texts kept; a text cannot contain another one of equal length
  for (const text of distinct(texts).toSorted((one, other) => one.length - other.length)) {
    if (text.length > (kept.at(-1)?.length ?? 0)) shorter = kept.length;
    if (!kept.slice(0, shorter).some((short) => text.includes(short))) kept.push(text);
    if (kept.length > literalBounds.literals) return undefined;
  }
  return kept;
}

/** Returns the most selective list of bounded length. Returns an empty list when it would exclude no text. */
function fitted(texts: Texts): Texts {
  for (const length of literalBounds.cuts) {
    const list = minimal(texts.map((text) => text.slice(0, length)));
    if (list) return list.includes('') ? [] : list;
  }
  return [];
}

const shortest = (texts: Texts) => Math.min(...texts.map((text) => text.length));

/** Returns the more selective list: first by the length of its shortest text, then by having fewer texts. */
function moreSelective(one: Texts, other: Texts): Texts {
  // Cutting never makes a text longer, so this comparison needs no cutting.
  if (one.length > 0 && shortest(other) < shortest(one)) return one;
  const list = fitted(other);
  if (list.length === 0 || one.length === 0) return list.length === 0 ? one : list;
  const gain = shortest(list) - shortest(one);
  return gain > 0 || (gain === 0 && list.length < one.length) ? list : one;
}

function exactFacts(exact: Texts): Facts {
  return { exact, prefixes: exact, suffixes: exact, required: moreSelective([], exact) };
}

/** Returns every head followed by every tail, or undefined when there are too many. */
function joined(heads: Texts | undefined, tails: Texts | undefined): Texts | undefined {
  if (!heads || !tails || heads.length * tails.length > literalBounds.joined) return undefined;
  return distinct(heads.flatMap((head) => tails.map((tail) => head + tail)));
}

/** Returns all texts of all lists, or undefined when a list is missing or empty, or there are too many texts. */
function union(lists: readonly (Texts | undefined)[]): Texts | undefined {
  const texts = distinct(lists.flatMap((list) => list ?? []));
  return lists.every((list) => list && list.length > 0) && texts.length <= literalBounds.joined ? texts : undefined;
}

function followedBy(left: Facts, right: Facts): Facts {
  const exact = joined(left.exact, right.exact);
  const seam = exact ?? joined(left.suffixes, right.prefixes) ?? [];
  return {
    exact,
    prefixes: joined(left.exact, right.prefixes) ?? left.prefixes,
    suffixes: joined(left.suffixes, right.exact) ?? union([left.suffixes, right.lastIfPresent]) ?? right.suffixes,
    required: moreSelective(moreSelective(left.required, right.required), seam),
  };
}

function ofSequence(node: Sequence): Facts {
  return node.parts.map(factsOf).reduce(followedBy, exactFacts(['']));
}

function ofAlternation(node: Alternation): Facts {
  const branches = node.branches.map(factsOf);
  const exact = union(branches.map((branch) => branch.exact));
  return {
    exact,
    prefixes: union(branches.map((branch) => branch.prefixes)) ?? [''],
    suffixes: union(branches.map((branch) => branch.suffixes)) ?? [''],
    required: moreSelective([], union(branches.map((branch) => branch.required)) ?? []),
  };
}

/**
 * Returns the character with which all texts end, as a list, or undefined when they end differently. Longer endings
 * would become too many texts when they are joined.
 */
function lastCharacter(texts: Texts): Texts | undefined {
  const last = distinct(texts.map((text) => text.slice(-1)));
  return last.length === 1 && !last.includes('') ? last : undefined;
}

function ofRepeat(node: Repeat): Facts {
  const body = factsOf(node.body);
  if (node.min === 0 && node.max === 1 && body.exact && body.exact.length <= literalBounds.members)
    return exactFacts(distinct(['', ...body.exact]));
  if (node.min === 0) return { ...anything, lastIfPresent: lastCharacter(body.suffixes) };
  const copies = new Array<Facts>(Math.min(node.min, literalBounds.copies)).fill(body);
  const spelt = copies.reduce(followedBy);
  const isWhole = node.min === node.max && node.min <= literalBounds.copies;
  return isWhole ? spelt : { prefixes: spelt.prefixes, suffixes: body.suffixes, required: spelt.required };
}

const ends: Readonly<Record<string, string>> = { '^': textStart, '\\A': textStart, $: textEnd, '\\z': textEnd };

function factsOf(node: RegexNode): Facts {
  switch (node.kind) {
    case 'assertion':
      return exactFacts([ends[node.name] ?? '']);
    case 'set': {
      // At most two characters have the same lower case. Patterns can have 100,000 sets of almost all characters.
      if (node.members.length > 2 * literalBounds.members) return anything;
      const members = distinct([...node.members.toLowerCase()]);
      return members.length > 0 && members.length <= literalBounds.members ? exactFacts(members) : anything;
    }
    case 'group':
      return factsOf(node.body);
    case 'sequence':
      return ofSequence(node);
    case 'alternation':
      return ofAlternation(node);
    case 'repeat':
      return ofRepeat(node);
  }
}

/** Whether a text can contain the literal. A marker for an end of the text is valid only at that end of the literal. */
function isPossible(literal: string): boolean {
  return !literal.slice(1).includes(textStart) && !literal.slice(0, -1).includes(textEnd);
}

/** Returns lower-case literals. Every matching text contains at least one of them. Empty when none can be derived. */
export function requiredLiterals(tree: RegexNode): Texts {
  const { required } = factsOf(tree);
  return required.every(isPossible) ? required : [];
}

/** Returns the literals of a pattern, or none for a pattern that is not in the grammar. */
export function literalsOf(pattern: string): readonly string[] {
  const result = parseRegex(pattern);
  return result.ok ? requiredLiterals(result.tree) : [];
}
