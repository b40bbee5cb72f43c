/** What different servers make of the same decoded path. */
import { stripEnd } from './bytes.ts';

const collapse = (bytes: string) => bytes.replace(/\/{2,}/g, '/');

/** Each segment up to its first `;`. Servlet containers drop path parameters before they resolve dots. */
const withoutParameters = (bytes: string) => bytes.replace(/;[^/]*/g, '');

/**
 * Resolves dot segments as RFC 3986 5.2.4 does: never above the root, and empty segments count. A text without a
 * leading slash or without `/.` stays unchanged.
 */
function resolveDots(bytes: string): string {
  if (!bytes.startsWith('/') || !bytes.includes('/.')) return bytes;
  const output: string[] = [];
  const segments = bytes.split('/').slice(1);
  for (const [index, segment] of segments.entries()) {
    const isDots = segment === '.' || segment === '..';
    if (segment === '..') output.pop();
    if (!isDots) output.push(segment);
    else if (index === segments.length - 1) output.push('');
  }
  return `/${output.join('/')}`;
}

/**
 * A name as Windows opens it: without an alternate data stream, and without dots and spaces at its end, unless nothing
 * would remain.
 */
function windowsName(segment: string): string {
  const stream = segment.includes('::$') ? segment.indexOf('::$') : segment.indexOf(':$');
  const name = stream > 0 ? segment.slice(0, stream) : segment;
  return stripEnd(name, '. ') || name;
}

const asWindows = (bytes: string) => bytes.split('/').map(windowsName).join('/');

/** Up to the first NUL, `?` or `#`: where C libraries and URL parsers end a path. */
export function cut(bytes: string): string {
  const end = bytes.search(/[\0?#]/);
  return end < 0 ? bytes : bytes.slice(0, end);
}

/** Without control characters, which some parsers skip. */
export function withoutControls(bytes: string): string {
  return bytes.replace(/[\x00-\x1f\x7f]/g, '');
}

/**
 * A path, and the path without its final slash. Functions that clean a path (Go's `path.Clean`, Python's `normpath`, Node's
 * `normalize`) leave no slash after a final dot segment.
 */
const withoutEnd = (bytes: string) => (/^\/.*\/$/s.test(bytes) ? [bytes, bytes.slice(0, -1)] : [bytes]);

/**
 * Every form of a decoded path, in the order in which they become candidates, with repetitions. `isOpen`: the path may
 * lose a final slash, because it was not sent with a plain one.
 */
export function forms(bytes: string, isOpen: boolean): string[] {
  const slashed = bytes.replaceAll('\\', '/');
  const bare = withoutParameters(slashed);
  const resolved = [
    resolveDots(collapse(slashed)),
    collapse(resolveDots(slashed)),
    resolveDots(collapse(bare)),
    resolveDots(collapse(asWindows(bare))),
  ];
  return [
    bytes,
    ...(bytes.includes('\\') ? [bytes.replaceAll('\\', '')] : []),
    slashed,
    ...(isOpen ? resolved.flatMap(withoutEnd) : resolved),
  ];
}
