/** Finds the strings of JSON in a value of a query or form, such as `?variables={"file":"..."}` of GraphQL. */
import { decode } from './decode.ts';
import { base64Json, nestedStrings } from './json-strings.ts';

/** What cookie-parser of Express writes before the JSON of a cookie: `j:`, or `s:j:` where the cookie is signed. */
const mark = /(?:(?:(?:s|%73)(?::|%3[aA]))?(?:j|%6[aA])(?::|%3[aA]))?/;
const start = /(?:[ \t\r\n+]|%20|%09|%0[aAdD])*(?:[{[]|%7[bB]|%5[bB])/;

/** The start of an object or a list, plain or URL-encoded once. */
const jsonStart = new RegExp(`^${mark.source}${start.source}`);

/** Returns the JSON that a value looks like, decoded once, as servers do before they parse it, or from base64. */
export const jsonIn = (value: string): string | undefined =>
  jsonStart.test(value) ? decode(value.replaceAll('+', ' ')) : base64Json(decode(value));

/** Yields the non-empty strings in texts that look like JSON. */
export function* stringsIn(texts: Iterable<string>): Generator<string> {
  for (const text of nestedStrings(texts)) if (text !== '') yield text;
}

function* jsonTexts(values: Iterable<string>): Generator<string> {
  for (const value of values) {
    const text = jsonIn(value);
    if (text !== undefined) yield text;
  }
}

/** Yields the non-empty strings in the values that look like JSON. */
export const innerStrings = (values: Iterable<string>): Iterable<string> => stringsIn(jsonTexts(values));
