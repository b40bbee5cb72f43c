/** The forms of one decoded path. Each form is the reading of some server. */
import { stripEnd } from './bytes.ts';

const collapse = (bytes: string) => bytes.replace(/\/{2,}/g, '/');

/**
 * Removes the parameters of each segment, from its first `;`. Servlet containers do this before they resolve dot
 * segments.
 */
const withoutParameters = (bytes: string) => bytes.replace(/;[^/]*/g, '');

/** Resolves dot segments as in RFC 3986 5.2.4. A text without a leading slash stays unchanged. */
export function resolveDots(bytes: string): string {
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
 * Returns the name that Windows opens. Windows ignores an alternate data stream, and dots and spaces at the end of a
 * name.
 */
function windowsName(segment: string): string {
  const stream = segment.includes('::$') ? segment.indexOf('::$') : segment.indexOf(':$');
  const name = stream > 0 ? segment.slice(0, stream) : segment;
  return stripEnd(name, '. ') || name;
}

const withWindowsNames = (bytes: string) => bytes.split('/').map(windowsName).join('/');

/** Ends the path at the first NUL, `?` or `#`, as C libraries and URL parsers do. */
export function cutPath(bytes: string): string {
  const end = bytes.search(/[\0?#]/);
  return end < 0 ? bytes : bytes.slice(0, end);
}

/** Removes control characters, which some parsers skip. */
export function withoutControls(bytes: string): string {
  return bytes.replace(/[\x00-\x1f\x7f]/g, '');
}

/**
 * What `Str::trim` of Laravel 11 removes (`INVISIBLE_CHARACTERS` in illuminate/support, and `\s`), as UTF-8. It includes
 * what `trim` of JavaScript and `strip` of Python remove, apart from control characters.
 */
const blanks = [
  / |\xc2[\x85\xa0\xad]|\xcd\x8f|\xd8\x9c/, // U+0020 to U+061C
  /\xe1(?:\x85[\x9f\xa0]|\x9a\x80|\x9e[\xb4\xb5]|\xa0\x8e)/, // U+115F to U+180E
  /\xe2(?:\x80[\x80-\x8f\xa8\xa9\xaf]|\x81[\x9f-\xa5\xaa-\xaf]|\xa0\x80)/, // U+2000 to U+2800
  /\xe3(?:\x80\x80|\x85\xa4)|\xef(?:\xbb\xbf|\xbe\xa0)/, // U+3000 to U+FFA0
  /\xf0\x9d\x85[\x99\xb3-\xba]|\xf3\xa0\x80\xa0/, // U+1D159 to U+E0020
];
const blankRuns = new RegExp(`(?:${blanks.map(({ source }) => source).join('|')})+`, 'g');

/** Removes blanks at both ends of a value with Unicode characters, as Laravel does for each value (`TrimStrings`). */
export function trimBlanks(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  let [start, end] = [0, bytes.length];
  for (const { index, 0: run } of bytes.matchAll(blankRuns)) {
    if (index === 0) start = run.length;
    if (index + run.length === bytes.length) end = index;
  }
  return bytes.slice(start, Math.max(start, end));
}

/** A run of ASCII characters, or one longer well-formed sequence of UTF-8 (RFC 3629 4). */
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

/** Removes bytes of invalid UTF-8, as servers in Python do (`decode('utf-8', 'ignore')` of Bottle). */
export function withoutInvalidUtf8(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? (bytes.match(utf8Sequence) ?? []).join('') : bytes;
}

/** Returns every form of a decoded path, with repetitions, in the order in which they become candidates. */
export function forms(bytes: string): string[] {
  const slashed = bytes.replaceAll('\\', '/');
  const bare = withoutParameters(slashed);
  return [
    bytes,
    ...(bytes.includes('\\') ? [bytes.replaceAll('\\', '')] : []),
    slashed,
    collapse(slashed),
    resolveDots(collapse(slashed)),
    collapse(resolveDots(slashed)),
    resolveDots(collapse(bare)),
    collapse(resolveDots(bare)),
    resolveDots(collapse(withWindowsNames(bare))),
  ];
}
