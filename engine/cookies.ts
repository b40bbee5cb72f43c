/** Writes the cookies of a header (RFC 6265 4.2) as the pairs of a query, because PHP decodes them like a query. */
import { limits } from '../contract/policy/limits.ts';
import { nonEmptyParts, percentEscape, strip, stripEnd } from './bytes.ts';

const blanks = ' \t';

/** Returns the cookies as all servers separate them. Their values keep quotation marks and escapes. */
export const cookiePairs = (header: string): string => header.replaceAll('&', '%26').replace(/;[ \t]*/g, '&');

/** Decodes the escapes of `http.cookies` of Python, which Django, Tornado, Werkzeug and WebOb share: `\056`, `\"`. */
function unescaped(value: string): string {
  return value.replace(/\\([0-3][0-7]{2}|.)/gs, (_, code: string) =>
    code.length === 1 ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
}

/** The text of a quoted value, at `lastIndex`. Ends before the next quotation mark that is not escaped. */
const quotedText = /((?:[^"\\]|\\.)*)"/sy;

/** Yields quoted values as `SimpleCookie`, aiohttp and WebOb find them: a semicolon does not end them. */
function* quotedCookies(header: string): Generator<[key: string, value: string]> {
  let from = 0;
  for (const { 0: mark, index } of header.matchAll(/=[ \t]*"/g)) {
    const key = stripEnd(header.slice(from, index), blanks).replace(/^.*[;= \t"]/s, '');
    from = index + mark.length;
    quotedText.lastIndex = from;
    const text = quotedText.exec(header)?.[1];
    if (text !== undefined) yield [key, text];
  }
}

/**
 * Yields the other readings of one cookie. Django, Tornado and koa remove quotation marks at both ends only. WebOb
 * decodes escapes outside of quotation marks too. `SimpleCookie`, aiohttp and WebOb end a cookie at a blank.
 */
function* readingsOf(cookie: string): Generator<[key: string, value: string]> {
  const mark = cookie.indexOf('=') + 1;
  const value = strip(cookie.slice(mark), blanks);
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  if (mark > 0 && (isQuoted || value.includes('\\')))
    yield [strip(cookie.slice(0, mark - 1), blanks), isQuoted ? value.slice(1, -1) : value];
  for (const [, key = '', text = ''] of cookie.matchAll(/[ \t]([^= \t"]+)[ \t]*=[ \t]*([^ \t"][^ \t]*)/g))
    yield [key, text];
}

function* allReadings(header: string): Generator<[key: string, value: string]> {
  yield* quotedCookies(header);
  for (const part of nonEmptyParts(header, ';')) yield* readingsOf(strip(part, blanks));
}

/**
 * Returns the pairs of servers that remove quotation marks, decode escapes or end cookies at blanks, without those of
 * `cookiePairs`. More pairs than the limit allows are left out.
 */
export function otherCookiePairs(header: string): string {
  if (!/["\\]|[^; \t][ \t]/.test(header)) return '';
  const known = new Set(cookiePairs(header).split('&'));
  const found = new Set<string>();
  for (const [key, value] of allReadings(header)) {
    for (const text of new Set([value, unescaped(value)])) {
      const pair = `${key}=${text}`.replace(/[&;]/g, percentEscape);
      if (!known.has(pair)) found.add(pair);
    }
    if (found.size > limits.queryPairs) break;
  }
  return [...found].join('&');
}
