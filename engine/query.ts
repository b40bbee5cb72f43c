/** Keys and values of a query string. */
import { limits } from '../contract/policy/limits.ts';
import { nonEmptyParts } from './bytes.ts';
import { decode } from './decode.ts';
import { jsonIn, stringsIn } from './inner-strings.ts';
import { pieceOf } from './piece.ts';
import type { Target } from './request.ts';
import { type Budget, view } from './view.ts';

/**
 * Matches a decoded key that some server reads as `file`: PHP drops blanks before it and what follows a NUL, PHP, Rack
 * and qs read `file[]` and `file[x]`, Rack and qs `[file]`, and keys of ASP.NET have no case.
 */
const fileKey = /^[+ [\]]*file(?:[[\]\0]|$)/i;

export const isFileKey = (key: string): boolean => fileKey.test(decode(key));

/**
 * Returns the key and, after the first `=`, the value. A part without `=` is one value. For the key `file` also returns
 * the whole pair: rules match words there that are harmless in other values.
 */
function pairValues(part: string): string[] {
  const mark = part.indexOf('=');
  if (mark < 0) return [part];
  const [key, value] = [part.slice(0, mark), part.slice(mark + 1)];
  return isFileKey(key) ? [key, value, `file=${value}`] : [key, value];
}

/** Returns the value, and its reading in a form, where `+` is a space. */
export function plusReadings(value: string): string[] {
  return value.includes('+') ? [value, value.replaceAll('+', ' ')] : [value];
}

function* partsWithPieces(query: string): Generator<string> {
  yield* nonEmptyParts(query, '&');
  for (const part of nonEmptyParts(query, '&')) if (part.includes(';')) yield* nonEmptyParts(part, ';');
}

/** Returns the parts between `&`, then their pieces between `;`, as servers of Perl, Python and Rack split them. */
const pairsOf = (query: string): Iterable<string> =>
  query.includes(';') ? partsWithPieces(query) : nonEmptyParts(query, '&');

export function* formValues(query: string): Generator<string> {
  for (const pair of pairsOf(query)) yield* pairValues(pair);
}

/** A pair, or a string in the JSON of a value. */
interface Item {
  readonly values: readonly string[];
  /** True when the item counts towards `limits.queryPairs`. */
  readonly counts: boolean;
}

/**
 * Yields all pairs, then the strings of JSON in their values. Plain words in JSON do not count, because a list can have
 * thousands of names.
 */
function* itemsOf(query: string): Generator<Item> {
  const texts: string[] = []; // few, because a caller stops at `limits.queryPairs`
  for (const pair of pairsOf(query)) {
    const values = pairValues(pair);
    yield { values, counts: true };
    for (const value of values) {
      const text = jsonIn(value);
      if (text !== undefined) texts.push(text);
    }
  }
  for (const text of stringsIn(texts)) yield { values: [text], counts: pieceOf(text).counts };
}

/** Counts what `limits.queryPairs` bounds: pairs, strings of JSON that are not plain words, and values of headers. */
export interface Count {
  pairs: number;
}

/** Returns the targets of a query. `#` does not end it, because servers also parse the text after it. */
export const queryTargets = (name: string, query: string, budget: Budget, count: Count): Iterable<Target> =>
  query.length > limits.queryBytes
    ? [{ name, kind: 'query', candidates: [], limit: 'limit_length' }]
    : pairTargets(name, query, budget, count);

/** Like `queryTargets`, for a query of any length. */
export function* pairTargets(name: string, query: string, budget: Budget, count: Count): Generator<Target> {
  for (const { values, counts } of itemsOf(query)) {
    if (counts) count.pairs += 1;
    if (counts && count.pairs > limits.queryPairs) {
      yield { name, kind: 'query', candidates: [], limit: 'limit_query_pairs' };
      return;
    }
    for (const value of values.flatMap(plusReadings))
      yield { name, kind: 'query', ...view(value, limits.queryBytes, budget) };
  }
}
