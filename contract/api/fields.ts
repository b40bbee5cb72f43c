/**
 * Value types of the management API. Clients are generated from the schemas, so each schema of a request is as
 * strict as its check.
 */
import * as z from 'zod/mini';
import { required } from '../schema/kinds.ts';
import { report } from '../schema/problem.ts';
import { parseAddress, parseNetwork } from '../values/address.ts';
import { parseDuration } from '../values/duration.ts';

const longestAddress = 49; // an IPv6 address with a dotted quad, and its prefix length

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const group = '[0-9a-fA-F]{1,4}';
const ipv4Network = `^${octet}(?:\\.${octet}){3}/(?:[89]|[12][0-9]|3[0-2])$`;
const ipv6Network = `^${group}(?:(?::${group}){7}|(?::${group}){0,5}::)/(?:3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-8])$`;

const address = [{ format: 'ipv4' }, { format: 'ipv6' }];
const network = [{ pattern: ipv4Network }, { pattern: ipv6Network }];
/** Matches 0.0.0.0/8 and `::` in each notation. No client has such an address. */
const addressOfNoClient = { pattern: '^(?:(?:[0:]*:[fF]{4}:)?0\\.|[0:.]*(?:/128)?$)' };

/** A text that `parse` accepts. `expected` describes it in messages. */
function addressText(parse: (text: string) => unknown, expected: string) {
  const check = z.superRefine<string>((text, ctx) => {
    if (!parse(text)) report(ctx, { kind: 'bad_address', message: `expected ${expected}` });
  });
  return z.string().check(z.maxLength(longestAddress), check);
}

export const apiAddress = () =>
  addressText(parseAddress, 'an IPv4 or IPv6 address').register(z.globalRegistry, {
    anyOf: address,
    examples: ['192.0.2.7', '2001:db8::7'],
  });

const networkText = (more: object = {}) =>
  addressText(parseNetwork, 'an IPv4 or IPv6 address, or a CIDR of them').register(z.globalRegistry, {
    anyOf: [...address, ...network],
    examples: ['192.0.2.7', '2001:db8::/64'],
    ...more,
  });

export const apiNetwork = () => networkText();

/** An address or a network that can be banned. */
export const apiBannable = () => networkText({ not: addressOfNoClient });

export const cursorText = () => z.string().check(z.regex(/^(?:local|crowdsec):[0-9a-fA-F:./]{0,49}$/));

const [h, m, s] = ['(?:(?:[0-9]|1[0-9]|2[0-3])h)?', '(?:[1-5]?[0-9]m)?', '(?:[1-5]?[0-9]s)?'];
const durations = [
  'permanent',
  `(?:[1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-4])d${h}${m}${s}`,
  '365d',
  `(?:[1-9][0-9]{0,2}|[1-7][0-9]{3}|8[0-6][0-9]{2}|87[0-5][0-9])h${m}${s}`,
  '8760h(?:0m)?(?:0s)?',
  `[1-9][0-9]{0,4}m${s}`,
  '[1-9][0-9]{0,6}s',
];

/** A duration from a second to 365 days, or `permanent`. */
export const apiDuration = () =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^(?:${durations.join('|')})$`), {
        error: 'expected a duration such as 30s, 4h, 1h30m or 7d, at most 365d, or permanent',
      }),
    )
    .register(z.globalRegistry, { examples: ['30s', '4h', '1h30m', '7d', 'permanent'] });

/** A duration from a second to 365 days. */
export const endingDuration = () =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^(?:${durations.slice(1).join('|')})$`), {
        error: 'expected a duration such as 30m, 2h or 7d, at most 365d',
      }),
    )
    .register(z.globalRegistry, { examples: ['30m', '2h', '7d'] });

/** Returns the milliseconds of an `apiDuration`, or null for a permanent one. */
export function durationMs(text: string): number | null {
  const ms = parseDuration(text);
  return ms === undefined || ms === Number.POSITIVE_INFINITY ? null : ms;
}

/** Control characters, also those of Latin-1 (`\x9b` begins an escape of terminals), and line separators. */
const notPrinted = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029';
const longestLine = 200;
const lineError = `expected 1 to ${longestLine} characters without control characters and line separators`;

/** Lone surrogates have a separate check: patterns of other languages have no class for them. */
export const textLine = () =>
  z.string().check(
    z.regex(new RegExp(`^[^${notPrinted}]{1,${longestLine}}$`, 'u'), { error: lineError }),
    z.superRefine((text, ctx) => {
      if (!text.isWellFormed()) report(ctx, { kind: 'bad_value', message: lineError });
    }),
  );

const notPrintedCharacter = new RegExp(`[${notPrinted}\\ud800-\\udfff]`, 'gu');

/** Returns the start of a text as a `textLine`, with spaces in place of other characters. */
export const asTextLine = (text: string): string =>
  [...text.slice(0, 2 * longestLine).replace(notPrintedCharacter, ' ')].slice(0, longestLine).join('');

export const serviceName = () =>
  z.string().check(z.regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: 'expected the name of a service' }));

const digits = /^[1-9][0-9]*$/;

/** An integer from 1 to `max`, as text in a query. */
export function count(max: number) {
  const check = z.superRefine<string>((text, ctx) => {
    if (!digits.test(text) || Number(text) > max)
      report(ctx, { kind: 'bad_value', message: `expected a whole number from 1 to ${max}` });
  });
  return z.string().check(check).register(z.globalRegistry, { type: 'integer', minimum: 1, maximum: max });
}

// Members of responses, each with its description.
export const number = (description: string) => required(z.number(), description);
export const integer = (description: string) => required(z.int().check(z.minimum(0)), description);
export const text = (description: string) => required(z.string(), description);
export const textOrNull = (description: string) => required(z.nullable(z.string()), description);
