/** The parts of a request target (RFC 9112 3.2). */

/**
 * Scheme and authority of an absolute-form target: most backends serve it whatever the host is. Go also accepts a
 * scheme without an authority and passes on what follows: `a:/x` and `a:b:/x` reach a backend as `/x`.
 */
const origin = /[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#\\]*)?/y;

/** One after another, because a regular expression with a million of them overflows its stack. */
function withoutOrigins(target: string): string {
  let start = 0;
  origin.lastIndex = 0;
  while (origin.test(target)) start = origin.lastIndex;
  return target.slice(start);
}

export interface Parts {
  /** Never empty. */
  readonly path: string;
  /** What follows the first `?`; absent without one. */
  readonly query?: string;
}

/** Splits a raw target. `*` and a path without a leading slash are paths verbatim. */
export function splitTarget(target: string): Parts {
  const local = withoutOrigins(target);
  const mark = local.indexOf('?');
  if (mark < 0) return { path: local || '/' };
  return { path: local.slice(0, mark) || '/', query: local.slice(mark + 1) };
}
