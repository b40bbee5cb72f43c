/** The grammar of patterns: only syntax that RE2, Go and PCRE interpret identically. */

import { parseClass } from './class.ts';
import { type Cursor, isNext, peek, Refusal, skip } from './cursor.ts';
import { parseEscape } from './escape.ts';
import { opensGroup } from './group.ts';
import { regexLimits } from './limits.ts';
import { addedBytes, expandedSize, largestProduct } from './measure.ts';
import { parseQuantifier, startsQuantifier } from './quantifier.ts';
import { type Assertion, ignoringCase, printable, type RegexNode, setOfOne } from './syntax.ts';

export type RegexResult =
  /** `bytes` is the length of the pattern after all counts are expanded. */
  | { readonly ok: true; readonly tree: RegexNode; readonly bytes: number }
  /** `offset` counts bytes from 0; `reason` is a clause of `refusals`. */
  | { readonly ok: false; readonly offset: number; readonly reason: string };

const assertions: readonly Assertion['name'][] = ['^', '$', '\\A', '\\z', '\\b', '\\B'];
const anyCharacter: RegexNode = { kind: 'set', members: printable };

function parseGroup(cursor: Cursor): RegexNode | undefined {
  const at = cursor.at;
  const outside = cursor.flags;
  if (!opensGroup(cursor)) return undefined;
  if (cursor.depth === regexLimits.regexNesting) throw new Refusal('tooDeep', at);
  cursor.depth += 1;
  const body = parseAlternation(cursor);
  if (!skip(cursor, ')')) throw new Refusal('unclosedGroup', at);
  cursor.depth -= 1;
  cursor.flags = outside;
  return { kind: 'group', at, body };
}

function parseCharacter(cursor: Cursor): RegexNode {
  const character = peek(cursor);
  if (character === '[') return parseClass(cursor);
  if (skip(cursor, '.')) return anyCharacter;
  const { ignoreCase } = cursor.flags;
  if (character === '\\') {
    const { set } = parseEscape(cursor);
    return ignoreCase ? ignoringCase(set) : set;
  }
  cursor.at += 1;
  return setOfOne(character, ignoreCase);
}

/** Parses one atom. Returns undefined for flags, and before a quantifier that has no atom. */
function parseAtom(cursor: Cursor): RegexNode | undefined {
  if (startsQuantifier(cursor)) return undefined;
  const mayAssert = '^$\\'.includes(peek(cursor));
  const assertion = mayAssert ? assertions.find((name) => skip(cursor, name)) : undefined;
  if (assertion) return { kind: 'assertion', name: assertion };
  return isNext(cursor, '(') ? parseGroup(cursor) : parseCharacter(cursor);
}

function parseQuantified(cursor: Cursor): RegexNode | undefined {
  const { at: start, added } = cursor;
  const atom = parseAtom(cursor);
  const { at } = cursor;
  const bytes = at - start + (cursor.added - added);
  const quantifier = parseQuantifier(cursor);
  if (!quantifier) return atom;
  if (!atom || atom.kind === 'assertion') throw new Refusal('nothingToRepeat', at);
  if (startsQuantifier(cursor)) throw new Refusal('repeatedQuantifier', cursor.at);
  const repeat: RegexNode = { kind: 'repeat', body: atom, ...quantifier };
  if (largestProduct(repeat) > regexLimits.regexRepeat) throw new Refusal('largeProduct', at);
  if (expandedSize(repeat) > regexLimits.regexSize) throw new Refusal('tooLarge', at);
  cursor.added += addedBytes(repeat, bytes);
  return repeat;
}

/** Results of `peek` that end a sequence. The empty text is the end of the pattern. */
const sequenceEnds: readonly string[] = ['', '|', ')'];

function parseSequence(cursor: Cursor): RegexNode {
  const parts: RegexNode[] = [];
  while (!sequenceEnds.includes(peek(cursor))) {
    const part = parseQuantified(cursor);
    if (part) parts.push(part);
  }
  return { kind: 'sequence', parts };
}

function parseAlternation(cursor: Cursor): RegexNode {
  const branches = [parseSequence(cursor)];
  while (skip(cursor, '|')) branches.push(parseSequence(cursor));
  return branches.length === 1 ? (branches[0] as RegexNode) : { kind: 'alternation', branches };
}

function parseWhole(source: string): RegexResult {
  const odd = source.search(/[^ -~]/);
  if (odd >= 0) throw new Refusal('notPrintable', odd);
  if (source.length > regexLimits.regexBytes) throw new Refusal('tooLong', regexLimits.regexBytes);
  const cursor: Cursor = { source, at: 0, depth: 0, added: 0, flags: { ignoreCase: false } };
  const tree = parseAlternation(cursor);
  if (cursor.at < source.length) throw new Refusal('unopenedGroup', cursor.at);
  if (expandedSize(tree) > regexLimits.regexSize) throw new Refusal('tooLarge', 0);
  return { ok: true, tree, bytes: source.length + cursor.added };
}

/** Parses a pattern. Never throws. The empty pattern is valid and matches everything. */
export function parseRegex(source: string): RegexResult {
  try {
    return parseWhole(source);
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, offset: error.offset, reason: error.reason };
    throw error;
  }
}
