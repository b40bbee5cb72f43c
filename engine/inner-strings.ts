/** Finds the strings of JSON in a value of a query or form, such as `?variables={"file":"..."}` of GraphQL. */
import { decode } from './decode.ts';
import { nestedStrings } from './json-strings.ts';

/** The start of an object or a list, plain or URL-encoded once. */
const jsonStart = /^(?:[ \t\r\n+]|%20|%09|%0[aAdD])*(?:[{[]|%7[bB]|%5[bB])/;

/** Yields the values that look like JSON, decoded once, as servers do before they parse it. */
function* jsonIn(values: Iterable<string>): Generator<string> {
  for (const value of values) if (jsonStart.test(value)) yield decode(value.replaceAll('+', ' '));
}

/** Yields the non-empty strings in the values that look like JSON. */
export function* innerStrings(values: Iterable<string>): Generator<string> {
  for (const text of nestedStrings(jsonIn(values))) if (text !== '') yield text;
}
