/**
 * JSON in a value of a query or form, such as `?variables={"file":"..."}` of GraphQL or `payload={"..."}` of webhooks. Its strings
 * are values too. JSON in these strings is not read.
 */
import { decode } from './decode.ts';
import { jsonStrings } from './json-strings.ts';

/** An object or a list, also where its start is encoded once. */
const start = /^(?:[ \t\r\n+]|%20|%09|%0[aAdD])*(?:[{[]|%7[bB]|%5[bB])/;

/** Strings of the values that look like JSON, without empty ones. A server decodes a value once before it parses JSON. */
export function* innerStrings(values: Iterable<string>): Generator<string> {
  for (const value of values)
    if (start.test(value))
      for (const text of jsonStrings(decode(value.replaceAll('+', ' ')))) if (text !== '') yield text;
}
