import * as z from 'zod/mini';
import { modeNames } from '../policy/modes.ts';
import { allowedReasons, blockedReasons, refusedReasons } from '../policy/reasons.ts';
import { crossChecked } from '../schema/cross-checked.ts';
import { filePath, formed, refined, text } from '../schema/fields.ts';
import { cutIssues, defaulted, integer, list, optional, required } from '../schema/kinds.ts';
import { report } from '../schema/problem.ts';
import { parseAddress } from '../values/address.ts';
import { token } from '../values/token.ts';
import { suiteBounds } from './bounds.ts';
import { checkExpectation, checkTarget } from './checks.ts';

const { cases, depth, files, headers, nameBytes, policies, targetBytes, bodyBytes } = suiteBounds;

/** Refuses line ends, because they would end the request line. */
const lineEndRefusal = (value: string): string | undefined =>
  value.includes('\n') ? 'expected a target without a line end, which ends the request line' : undefined;

const Target = refined(targetBytes, lineEndRefusal);

/** A raw target. Each character is one byte: "\xe9" in a double-quoted YAML text is the byte E9. */
const RawTarget = refined(2 * targetBytes, (value) =>
  /[^\x00-\xff]/.test(value) ? 'expected one character from U+0000 to U+00FF per byte' : lineEndRefusal(value),
);

const Method = formed(token, 'an HTTP method', 32);

const HeaderValue = refined(
  targetBytes,
  (value) => (/[\x00\r\n]/.test(value) ? 'expected a value without line ends and NUL' : undefined),
  0,
);
const HeaderName = z.string().check(z.regex(token, { error: 'expected a header name (RFC 9110 token)' }));
const HeaderValues = z.union([HeaderValue, list(HeaderValue, headers, 1)], {
  error: 'expected text or a list of texts without line ends',
});
const checkHeaderCount = z.superRefine<Record<string, string | string[]>>((lines, ctx) => {
  const count = Object.values(lines).flat().length;
  if (count <= headers) return;
  report(ctx, { kind: 'out_of_range', message: `expected at most ${headers} header lines, found ${count}` });
});

const Address = refined(64, (value) => (parseAddress(value) ? undefined : 'expected an IPv4 or IPv6 address'));

const Request = crossChecked(
  z.strictObject({
    method: defaulted(Method, 'GET', 'The method.'),
    path: optional(Target, 'The request target, with its query if it has a ?; default: /. Sent as UTF-8.'),
    raw: optional(RawTarget, 'Instead of path: one character per byte, such as "/caf\\xe9" in YAML.'),
    paths: optional(list(Target, cases, 1), 'Instead of path: a table of targets, each of which is a case.'),
    query: optional(refined(targetBytes, lineEndRefusal, 0), 'The query without its ?.'),
    headers: optional(
      z.record(HeaderName, HeaderValues).check(checkHeaderCount, cutIssues),
      'Values by name; a list is one line per value. Host selects exceptions.',
    ),
    body: optional(text(bodyBytes), 'The body. Without a Content-Type header it is a URL-encoded form.'),
    ip: optional(Address, 'Address of the TCP peer.'),
  }),
  checkTarget,
);

export const verdicts = ['blocked', 'allowed', 'refused'] as const;

const Expect = crossChecked(
  z.strictObject({
    verdict: optional(
      z.enum(verdicts),
      'A refused request also counts as blocked. refused is checked only where a proxy is known.',
    ),
    rule: optional(text(64, 1), 'Id of the rule that blocks, or of the first allow rule that excuses a candidate.'),
    reason: optional(z.enum([...allowedReasons, ...blockedReasons, ...refusedReasons]), 'Reason code of the verdict.'),
    target: optional(
      formed(/^(?:path|query|body|header:[!#$%&'*+\-.^_`|~0-9A-Za-z]+)$/, 'path, query, body or header:<name>', 272),
      'The part of the request that was blocked.',
    ),
    mode: optional(z.enum(modeNames), 'Response mode of a blocked request.'),
    status: optional(
      integer(100, 599),
      'Status of the response. Of an allowed request it is checked only against a sandbox or a URL.',
    ),
  }),
  checkExpectation,
);

const Policies = list(filePath(), policies, 1);

const Case = z.strictObject({
  name: required(text(nameBytes, 1), 'What the case shows, for reports and --only.'),
  policies: optional(Policies, 'Policy files instead of those of the file: the case runs once under each.'),
  request: required(Request, 'The request.'),
  expect: required(Expect, 'The expected result; only the given keys are compared.'),
});

export const Suite = z.strictObject({
  $schema: optional(z.string(), 'Ignored; editors complete from it.'),
  policies: optional(
    Policies,
    'Policy files, relative to this file: each case runs once under each. Default: those of the including file, then the policy of the command.',
  ),
  include: defaulted(
    list(filePath(), files),
    [],
    `Further suite files, relative to this file; at most ${depth} levels deep.`,
  ),
  cases: defaulted(list(Case, cases), [], 'The cases.'),
});
export type Suite = z.output<typeof Suite>;
export type SuiteCase = z.output<typeof Case>;
export type Expect = SuiteCase['expect'];
