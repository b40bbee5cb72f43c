/** Headers that carry a URL, such as X-Original-URL, and cookies. */
import { type HeaderTarget, headerKey, headerNameOf } from '../contract/policy/headers.ts';
import { limits } from '../contract/policy/limits.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { escapeBytes, strip } from './bytes.ts';
import { cookiePairs, otherCookiePairs } from './cookies.ts';
import { type Count, pairTargets, queryTargets } from './query.ts';
import type { Headers, Section, Target } from './request.ts';
import { splitTarget } from './split.ts';
import { type Budget, view } from './view.ts';

/** Returns the values of a header that are not empty, in received order, the spelling with dashes first. */
function headerValues(headers: Headers, name: string): string[] {
  const same = headers.filter(([other]) => headerKey(other) === headerKey(name));
  const exact = same.filter(([other]) => !other.includes('_'));
  const other = same.filter(([other]) => other.includes('_'));
  return [...exact, ...other].map(([, value]) => strip(value, ' \t')).filter((value) => value !== '');
}

/** Counts a value like a pair of a query. Returns the limit that it exceeds, if any. */
function limitOf(value: string, count: Count): Target['limit'] {
  count.pairs += 1;
  if (count.pairs > limits.queryPairs) return 'limit_query_pairs';
  return value.length > limits.headerBytes ? 'limit_length' : undefined;
}

function* cookieTargets(name: string, values: readonly string[], budget: Budget, count: Count): Generator<Target> {
  for (const value of values) {
    const limit = limitOf(value, count);
    if (limit) {
      yield { name, kind: 'path', candidates: [], limit };
      return;
    }
    yield* queryTargets(name, cookiePairs(value), budget, count);
    yield* pairTargets(name, otherCookiePairs(value), budget, count);
  }
}

/** Returns the section of a header that counts as a path and, behind its `?`, as a query. */
function urlSection(name: string, value: string, checkQuery: boolean, budget: Budget, count: Count): Section {
  const limit = limitOf(value, count);
  if (limit) return { paths: [{ name, kind: 'path', candidates: [], limit }], values: [] };
  const { path, query } = splitTarget(value);
  const paths: Target[] = [{ name, kind: 'path', ...view(path, limits.headerBytes, budget, true) }];
  return { paths, values: query !== undefined && checkQuery ? queryTargets(name, query, budget, count) : [] };
}

const bounded = (lines: readonly string[]): string[] =>
  lines.slice(0, limits.queryPairs).map((line) => escapeBytes(line.slice(0, limits.headerBytes)));

/** Returns the first bytes of each line of a header, verbatim, of at most `limits.queryPairs` lines. */
export const linesOf = (headers: Headers, name: string): string[] => bounded(headerValues(headers, name));

/**
 * Yields the headers that rules have as targets. A crowd of lines reaches a limit, because it could hide one of them.
 */
export function* lineTargets(names: readonly HeaderTarget[], headers: Headers): Generator<Target> {
  for (const name of names) {
    const lines = headerValues(headers, headerNameOf(name));
    const [candidates, isCut] = [bounded(lines), lines.length > limits.queryPairs];
    if (candidates.length > 0) yield { name, kind: name, candidates, ...(isCut && { limit: 'limit_query_pairs' }) };
  }
}

/** Yields the sections of headers. Each value counts like a pair of a query, and all headers share one count. */
export function* headerSections(
  { checkHeaders, checkQuery }: Policy,
  headers: Headers,
  budget: Budget,
): Generator<Section> {
  const count = { pairs: 0 };
  for (const name of checkHeaders) {
    const target = `header:${name.toLowerCase()}`;
    const values = headerValues(headers, name);
    if (target === 'header:cookie') yield { values: cookieTargets(target, values, budget, count) };
    else for (const value of values) yield urlSection(target, value, checkQuery, budget, count);
  }
}
