/** Text types that several keys use. A type is a pattern where possible, so that editors can check it too. */
import * as z from 'zod/mini';
import { alternativeTo } from '../regex/alternatives.ts';
import { parseRegex } from '../regex/grammar.ts';
import { regexLimits } from '../regex/limits.ts';
import { parseNetwork } from '../values/address.ts';
import { allPresets, presetOf } from '../values/presets.ts';
import { required } from './kinds.ts';
import { report } from './problem.ts';

const longestUtf8 = 3; // maximum bytes of one UTF-16 unit
const encoder = new TextEncoder();

/** Returns the length of `text` in bytes of UTF-8. All upper bounds on text count these bytes. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Text of at most `max` bytes in UTF-8, and at least `min` characters. */
export function text(max: number, min = 0) {
  const check = z.superRefine<string>((value, ctx) => {
    if (value.length * longestUtf8 <= max || value.length > max) return;
    const bytes = byteLength(value);
    if (bytes > max) report(ctx, { kind: 'out_of_range', message: `expected at most ${max} bytes, found ${bytes}` });
  });
  return min > 0
    ? z.string().check(z.minLength(min), z.maxLength(max), check)
    : z.string().check(z.maxLength(max), check);
}

/** Text with a check. `refusal` returns what was expected, such as `expected a host name`, or undefined. */
export function refined(max: number, refusal: (value: string) => string | undefined, min = 1) {
  const check = z.superRefine<string>((value, ctx) => {
    const message = value.length < min ? undefined : refusal(value);
    if (message !== undefined) report(ctx, { kind: 'bad_value', message });
  });
  return text(max, min).check(check);
}

/** Text that matches a pattern. `expected` describes the pattern in messages. */
export function formed(form: RegExp, expected: string, max: number) {
  return text(max).check(z.regex(form, { error: `expected ${expected}` }));
}

/** A regular expression of the grammar in docs/engine.md. */
export function regex() {
  const check = z.superRefine<string>((source, ctx) => {
    const result = parseRegex(source);
    if (result.ok) return;
    const message = `${result.reason} (at offset ${result.offset})`;
    report(ctx, { kind: 'bad_regex', message, hint: alternativeTo(result.reason) });
  });
  return text(regexLimits.regexBytes, 1).check(check);
}

export const Regex = required(
  regex(),
  'A regular expression of the grammar in docs/engine.md (a common subset of RE2, Go and PCRE).',
  '^/internal/',
);

const networkHint = 'write it like 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32; host names and ranges are not accepted';

/** The hint for a word without dots, which may be a misspelled preset. */
const presetHint = () =>
  `the presets are ${allPresets()
    .map(({ name }) => name)
    .join(', ')}`;

const network = z.superRefine<string>((value, ctx) => {
  if (presetOf(value) || parseNetwork(value)) return;
  const hint = /^[A-Za-z-]+$/.test(value) ? presetHint() : networkHint;
  report(ctx, { kind: 'bad_address', message: 'expected an IPv4 or IPv6 address or CIDR', hint });
});

/** Anyone who has an account at such a network can send requests through it. */
const notEdge = z.superRefine<string>((value, ctx) => {
  if (!presetOf(value)?.isEdge) return;
  const message = 'every client behind this network would be trusted';
  report(ctx, { kind: 'bad_value', message, hint: 'put it in trustedProxies' });
});

const networkText = 'An IPv4 or IPv6 address, a CIDR of them, or the name of a preset. Host bits are masked.';

export const Network = required(z.string().check(network), networkText);

/** A network whose clients are trusted. */
export const ClientNetwork = required(z.string().check(notEdge, network), networkText);

/** C0 controls and DEL. Header values (RFC 9110 5.5) and paths must not contain them. */
export const control = /[\x00-\x1f\x7f]/;

const longestPath = 4096; // PATH_MAX of Linux

/** A path in the file system of the machine that runs the guard. With `min` 0 the empty path is allowed. */
export function filePath(min = 1, max = longestPath) {
  return refined(max, (path) => (control.test(path) ? 'expected a path without control characters' : undefined), min);
}

/** `${NAME}`: the guard reads the value from an environment variable of its machine. */
const environmentReference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** A secret of `min` to `max` bytes, or one reference to an environment variable. */
export function secret(min: number, max: number) {
  const check = z.superRefine<string>((value, ctx) => {
    if (environmentReference.test(value)) return;
    if (value.includes('${'))
      return report(ctx, { kind: 'bad_value', message: 'expected a key, or nothing but ${NAME}' });
    const bytes = byteLength(value);
    if (bytes < min) report(ctx, { kind: 'out_of_range', message: `expected at least ${min} bytes, found ${bytes}` });
  });
  const schema = text(max, 1).check(check);
  return schema.register(z.globalRegistry, { bounds: `${min} to ${max} bytes, or \${NAME}` });
}

/** A host name or `*.suffix`. Underscores are allowed, because names of containers have them. */
export const hostPattern =
  /^(?:\*\.)?(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;
const hostName = new RegExp(hostPattern.source.replace('(?:\\*\\.)?', ''));

const longestName = 253; // RFC 1035 2.3.4, as text
export const HostName = formed(hostName, 'a host name', longestName);
export const HostPattern = formed(hostPattern, 'a host name, or *.suffix', longestName + '*.'.length);
