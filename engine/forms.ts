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

/** One well-formed sequence of UTF-8 (RFC 3629 4). */
const utf8Sequence = new RegExp(
  [
    /[\x00-\x7f]+/,
    /[\xc2-\xdf][\x80-\xbf]/,
    /\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]/,
    /\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Without bytes of invalid UTF-8, which servers in Python drop (`decode('utf-8', 'ignore')` of Bottle). */
export function withoutInvalid(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? (bytes.match(utf8Sequence) ?? []).join('') : bytes;
}

/** Every form of a decoded path, in the order in which they become candidates, with repetitions. */
export function forms(bytes: string): string[] {
  const slashed = bytes.replaceAll('\\', '/');
  const bare = withoutParameters(slashed);
  return [
    bytes,
    ...(bytes.includes('\\') ? [bytes.replaceAll('\\', '')] : []),
    slashed,
    resolveDots(collapse(slashed)),
    collapse(resolveDots(slashed)),
    resolveDots(collapse(bare)),
    collapse(resolveDots(bare)),
    resolveDots(collapse(asWindows(bare))),
  ];
}
