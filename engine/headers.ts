/** Headers that carry a URL, such as X-Original-URL, and cookies. */
import { headerKey } from '../contract/policy/headers.ts';
import { limits } from '../contract/policy/limits.ts';
import { strip } from './bytes.ts';
import { type Count, queryTargets } from './query.ts';
import type { Headers, Target } from './request.ts';
import { splitTarget } from './split.ts';
import { type Budget, view } from './view.ts';

/** Returns the values of a header in received order, the spelling with dashes first. */
function headerValues(headers: Headers, name: string): string[] {
  const same = headers.filter(([other]) => headerKey(other) === headerKey(name));
  const exact = same.filter(([other]) => !other.includes('_'));
  const other = same.filter(([other]) => other.includes('_'));
  return [...exact, ...other].map(([, value]) => strip(value, ' \t'));
}

/** Writes cookies (RFC 6265 4.2) as the pairs of a query, because PHP decodes them like a query. */
const cookiePairs = (value: string) => value.replaceAll('&', '%26').replace(/;[ \t]*/g, '&');

function* valueTargets(
  name: string,
  value: string,
  checkQuery: boolean,
  budget: Budget,
  count: Count,
): Generator<Target> {
  count.pairs += 1;
  const isOver = count.pairs > limits.queryPairs;
  if (isOver || value.length > limits.headerBytes) {
    yield { name, kind: 'path', candidates: [], limit: isOver ? 'limit_query_pairs' : 'limit_length' };
    return;
  }
  if (name === 'header:cookie') {
    yield* queryTargets(name, cookiePairs(value), budget, count);
    return;
  }
  const { path, query } = splitTarget(value);
  yield { name, kind: 'path', ...view(path, limits.headerBytes, budget, true) };
  if (query !== undefined && checkQuery) yield* queryTargets(name, query, budget, count);
}

/** Yields the targets of headers. Each value counts like a pair of a query, and all headers share one count. */
export function* headerTargets(
  names: readonly string[],
  headers: Headers,
  checkQuery: boolean,
  budget: Budget,
): Generator<Target> {
  const count = { pairs: 0 };
  for (const name of names)
    for (const value of headerValues(headers, name))
      if (value !== '') yield* valueTargets(`header:${name.toLowerCase()}`, value, checkQuery, budget, count);
}
