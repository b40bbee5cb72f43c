/** Finds the strings of JSON in a value of a query or form, such as `?variables={"file":"..."}` of GraphQL. */
import { decode } from './decode.ts';
import { jsonStrings } from './json-strings.ts';

/** The start of an object or a list, plain or URL-encoded once. */
const jsonStart = /^(?:[ \t\r\n+]|%20|%09|%0[aAdD])*(?:[{[]|%7[bB]|%5[bB])/;

/**
 * Yields the non-empty strings in the values that look like JSON. Values are decoded once, as servers do before they
 * parse JSON.
 */
export function* innerStrings(values: Iterable<string>): Generator<string> {
  for (const value of values)
    if (jsonStart.test(value))
      for (const text of jsonStrings(decode(value.replaceAll('+', ' ')))) if (text !== '') yield text;
}
