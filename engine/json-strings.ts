/** Scans strings of any text that looks like JSON. It is not a parser: parsers would refuse different bodies. */
import { base64Bytes } from './base64.ts';
import { utf8 } from './bytes.ts';

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Matches a surrogate pair, one UTF-16 unit, or any other escape. */
const escapeSequence = /\\u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\(.)/gs;

function unescapeOne(sequence: string, high?: string, low?: string, unit?: string, letter?: string): string {
  if (high !== undefined && low !== undefined)
    return utf8(0x10000 + ((Number.parseInt(high, 16) - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00));
  if (unit === undefined) return escapes[letter as string] ?? sequence;
  const codePoint = Number.parseInt(unit, 16);
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? sequence : utf8(codePoint);
}

/** Returns the index of the next unescaped quote from `start` on, or the length of the text. */
function closingQuote(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** A character that JSON does not allow outside of strings. */
const invalidOutsideOfStrings = /[^[\]{}:, \t\r\n0-9+.eE\-aflnrstu]/;

/** True when every parser finds the same strings. With comments, some parsers find strings in other places. */
export function isJson(text: string): boolean {
  for (let start = text.startsWith('\xef\xbb\xbf') ? 3 : 0; ; ) {
    const open = text.indexOf('"', start);
    if (invalidOutsideOfStrings.test(open < 0 ? text.slice(start) : text.slice(start, open))) return false;
    if (open < 0) return true;
    start = closingQuote(text, open + 1) + 1;
    if (start > text.length) return false;
  }
}

/** Yields keys and values. The last token may lack its closing quote. */
function* jsonStrings(text: string): Generator<string> {
  for (let open = text.indexOf('"'); open >= 0; ) {
    const close = closingQuote(text, open + 1);
    yield text.slice(open + 1, close).replace(escapeSequence, unescapeOne);
    open = text.indexOf('"', close + 1);
  }
}

/**
 * Matches a string that a parser can read as an object or list with strings. Up to the first quote it has only what JSON
 * allows there: `[ ] Add ".env"` in a comment is prose.
 */
const innerJson = /^[ \t\r\n]*[{[][[\]{}:, \t\r\n0-9+.eE\-aflnrstu]*"/;

/** The characters with which base64 of a blank, a brace or a bracket begins. Most values begin with another one. */
const innerJson64 = /^[CDIWe]/;

/** Decodes base64 of JSON, such as a cookie of cookie-session. Returns undefined for other values. */
export function base64Json(value: string): string | undefined {
  const text = innerJson64.test(value) ? base64Bytes(value) : undefined;
  return text !== undefined && innerJson.test(text) ? text : undefined;
}

/**
 * True for a string that a server of GraphQL can read as a document with a string in an argument:
 * `{ file(path: "\\u002e\\u002e/x") }`. Its strings have the escapes of JSON.
 */
function isGraphql(text: string): boolean {
  const head = text.slice(0, Math.max(0, text.indexOf('"')));
  return /^[ \t\r\n,]*(?:(?:query|mutation|subscription)[^{]*)?\{[^(]*\(/.test(head);
}

/**
 * Yields the strings of JSON texts, then the strings of JSON in these, verbatim or in base64, and of GraphQL. The
 * latter can be JSON again, which is not read.
 */
export function* nestedStrings(texts: Iterable<string>): Generator<string> {
  const inner: string[] = [];
  for (const text of texts)
    for (const string of jsonStrings(text)) {
      yield string;
      const json = innerJson.test(string) || isGraphql(string) ? string : base64Json(string);
      if (json !== undefined) inner.push(json);
    }
  for (const text of inner) yield* jsonStrings(text);
}
