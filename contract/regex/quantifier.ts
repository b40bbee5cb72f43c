/** Parses quantifiers: `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}`. A following `?` makes each of them lazy. */

import { type Cursor, isNext, peek, Refusal, readMatch, skip } from './cursor.ts';
import { regexLimits } from './limits.ts';

export interface Quantifier {
  readonly at: number;
  readonly min: number;
  readonly max: number;
}

const signs: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Infinity],
  '+': [1, Infinity],
  '?': [0, 1],
};

/** Matches counts such as `{2,5}`. Leading zeros are refused, because RE2 reads `a{01}` as text. */
const countsForm = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y;

function parseCounts(cursor: Cursor): Quantifier {
  const at = cursor.at;
  const match = readMatch(cursor, countsForm);
  if (!match) throw new Refusal('badQuantifier', at);
  const min = Number(match[1]);
  const max = match[3] !== undefined ? Number(match[3]) : match[2] ? Infinity : min;
  const largest = max === Infinity ? min : Math.max(min, max);
  if (largest > regexLimits.regexRepeat) throw new Refusal('largeQuantifier', at);
  if (min > max) throw new Refusal('reversedQuantifier', at);
  return { at, min, max };
}

/** Whether a quantifier, well formed or not, begins at the cursor. */
export function startsQuantifier(cursor: Cursor): boolean {
  return isNext(cursor, '{') || peek(cursor) in signs;
}

function parseSign(cursor: Cursor): Quantifier {
  const [min, max] = signs[peek(cursor)] as readonly [number, number];
  cursor.at += 1;
  return { at: cursor.at - 1, min, max };
}

/** Parses the quantifier at the cursor, if there is one. */
export function parseQuantifier(cursor: Cursor): Quantifier | undefined {
  if (!startsQuantifier(cursor)) return undefined;
  const quantifier = isNext(cursor, '{') ? parseCounts(cursor) : parseSign(cursor);
  skip(cursor, '?'); // laziness does not change whether a text matches
  return quantifier;
}
