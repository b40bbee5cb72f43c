/** Splits a request target into its parts (RFC 9112 3.2). */
import type { GuardRequest } from './request.ts';

/**
 * Scheme and authority of an absolute target. Go accepts a scheme without an authority and forwards the text after it:
 * `a:b:/x` reaches a backend as `/x`.
 */
const origin = /[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#\\]*)?/y;

/** Removes repeated origins in a loop: one regular expression would overflow its stack on a million of them. */
function withoutOrigins(target: string): string {
  let start = 0;
  origin.lastIndex = 0;
  while (origin.test(target)) start = origin.lastIndex;
  return target.slice(start);
}

export interface Parts {
  /** The path. Never empty. */
  readonly path: string;
  /** The text after the first `?`; absent when there is none. */
  readonly query?: string;
}

/** Splits a raw target. `*` and a path without a leading slash stay verbatim. */
export function splitTarget(target: string): Parts {
  const local = withoutOrigins(target);
  const mark = local.indexOf('?');
  if (mark < 0) return { path: local || '/' };
  return { path: local.slice(0, mark) || '/', query: local.slice(mark + 1) };
}

/**
 * Bytes that end the target for Python servers: white space for `str.split` on Latin-1. nginx forwards these bytes.
 */
const pythonWhiteSpace = /[\x85\xa0]/;

/**
 * Splits up to three targets into their parts: the raw target, its part before white space, and the target after a
 * rewrite.
 */
export function splitTargets({ target, rewritten }: GuardRequest): Parts[] {
  const end = target.search(pythonWhiteSpace);
  const ended = end < 0 ? [] : [target.slice(0, end)];
  return [target, ...ended, ...(rewritten === undefined ? [] : [rewritten])].map(splitTarget);
}
