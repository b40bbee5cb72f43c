/** The schema of the data in conformance/vectors, which every engine and every real proxy runs. */
import * as z from 'zod/mini';
import { allowedReasons, blockedReasons, overflows } from '../policy/reasons.ts';
import { problemKinds } from '../policy/schema.ts';
import { optional, required } from '../schema/kinds.ts';

const Ascii = z.string().check(z.regex(/^[\x00-\x7f]*$/));
const Printable = z.string().check(z.regex(/^[\x20-\x7e]*$/));
const Base64 = z.base64();
const Count = z.int().check(z.minimum(0));
const positive = () => z.int().check(z.minimum(1));
const Fields = z.record(z.string(), z.unknown());

const description = required(z.string().check(z.minLength(4), z.maxLength(70)), 'A statement of fact.');
const idAndDescription = {
  id: required(
    z.string().check(z.regex(/^[a-z]+(?:-[a-z0-9]+)+-\d{3}$/)),
    'The name of the file and a number. It never changes.',
  ),
  description,
};

const groups = <T extends z.ZodMiniType, P extends z.core.$ZodShape>(test: T, shared: P) =>
  z
    .array(
      z.strictObject({
        description,
        ...shared,
        tests: required(z.array(test).check(z.minLength(1)), 'The cases of the group.'),
      }),
    )
    .check(z.minLength(1));

export const CandidateTest = z.strictObject({
  ...idAndDescription,
  input: optional(Ascii, 'The raw path.'),
  inputBase64: optional(Base64, 'The raw path as bytes.'),
  candidates: required(z.array(Printable), 'Every candidate, in order.'),
  limit: optional(
    z.enum(['limit_length', 'limit_decode_rounds', 'limit_candidates']),
    'The limit that ended the candidates.',
  ),
});
export type CandidateTest = z.infer<typeof CandidateTest>;

const HeaderValue = z.union([Ascii, z.strictObject({ base64: Base64 })]);

export const VectorRequest = z.strictObject({
  method: optional(Ascii, 'The method; default: GET.'),
  target: optional(Ascii, 'The raw request target; default: /.'),
  targetBase64: optional(Base64, 'The raw request target as bytes.'),
  rewritten: optional(Ascii, 'The target after a rewrite inside the proxy; default: not rewritten.'),
  headers: optional(
    z.array(z.tuple([Ascii, HeaderValue])),
    'Name and value, in received order. A value is text, or an object with `base64`.',
  ),
  body: optional(Ascii, 'The body; default: empty.'),
  bodyBase64: optional(Base64, 'The body as bytes.'),
  ip: optional(Ascii, 'Address of the TCP peer; default: unknown.'),
  host: optional(Ascii, 'Host of the request; default: empty.'),
});
export type VectorRequest = z.infer<typeof VectorRequest>;

const BodyInspection = z.strictObject({
  overflow: required(z.enum(overflows), 'Why a part of the body was not inspected.'),
  values: required(Count, 'How many values were inspected.'),
  bytes: required(Count, 'How many bytes of values were inspected.'),
});

export const ExpectedVerdict = z.strictObject({
  verdict: required(z.enum(['allowed', 'blocked']), 'What happens to the request.'),
  reason: required(z.enum([...allowedReasons, ...blockedReasons]), 'Why.'),
  target: optional(z.string(), 'The part of the request that decided.'),
  candidate: optional(Printable, 'The normal form of that part that matched.'),
  rule: optional(z.string(), 'The id of the rule.'),
  body: optional(BodyInspection, 'For reason `limit_body`: what was inspected.'),
});
export type ExpectedVerdict = z.infer<typeof ExpectedVerdict>;

export const VerdictTest = z.strictObject({
  ...idAndDescription,
  request: required(VectorRequest, 'The request, under the policy of the group.'),
  expect: required(ExpectedVerdict, 'The whole verdict: a key that is absent here is absent in the verdict.'),
});
export type VerdictTest = z.infer<typeof VerdictTest>;

const Lines = z.array(HeaderValue);

export const UpgradeTest = z.strictObject({
  ...idAndDescription,
  headers: required(z.array(z.tuple([Ascii, HeaderValue])), 'Name and value, in received order.'),
  refused: optional(
    HeaderValue,
    'The first protocol that is not allowed, or the first bytes of lines that are too long.',
  ),
  kept: required(
    z.strictObject({
      upgrade: z.optional(Lines),
      connection: z.optional(Lines),
      'http2-settings': z.optional(Lines),
    }),
    'The lines of these headers for the backend.',
  ),
});
export type UpgradeTest = z.infer<typeof UpgradeTest>;

const patternTest = (accepted: string, offset: string) =>
  z.strictObject({
    ...idAndDescription,
    pattern: required(z.string(), 'The pattern, as Unicode text.'),
    ok: required(z.boolean(), accepted),
    offset: optional(Count, offset),
  });
export const RegexTest = patternTest(
  'Whether the grammar accepts the pattern.',
  'If not: the offset of the error, in characters.',
);
const BacktrackingTest = patternTest(
  'Whether an engine that backtracks accepts the pattern.',
  'If not: the offset of the ambiguous repetition.',
);
export type RegexTest = z.infer<typeof RegexTest>;

export const ExpectedProblem = z.strictObject({
  kind: required(z.enum(problemKinds), 'The kind of problem.'),
  path: required(z.string(), 'The key as written in the file, such as `rules[0].pattern`; empty: the whole file.'),
  line: required(positive(), 'Line of the key or list entry, or where the syntax breaks; the first line is 1.'),
  nearest: optional(z.string(), 'The valid key that the message suggests.'),
});
export type ExpectedProblem = z.infer<typeof ExpectedProblem>;

export const PolicyTest = z.strictObject({
  ...idAndDescription,
  text: optional(z.string(), 'The text of a policy file, as Unicode text.'),
  textBase64: optional(Base64, 'The policy file as bytes.'),
  ok: required(z.boolean(), 'Whether the file loads.'),
  problems: optional(z.array(ExpectedProblem).check(z.minLength(1)), 'If not: every problem, in any order.'),
  resolved: optional(Fields, 'If it loads: values of these keys, with defaults.'),
});
export type PolicyTest = z.infer<typeof PolicyTest>;

const now = required(Count, 'The time of the request, in seconds since 1970.');
const client = required(Ascii, 'Address of the client.');
const host = required(Ascii, 'The Host header.');
const visitorFields = { now, client, host };
const rule = required(Printable, 'The rule as states and passes identify it: a digest of its id and pattern.');
const state = required(Printable, 'The signed state in the page.');
const cookie = required(Printable, 'The value of the cookie.');

const SignedRule = z.strictObject({
  ...idAndDescription,
  of: required(z.strictObject({ id: Printable, pattern: Printable }), 'The rule of the policy.'),
  rule,
});

/** A test of the captcha data, in one of the forms that conformance/vectors/README.md describes. */
export const CaptchaTest = z.union([
  SignedRule,
  z.strictObject({
    ...idAndDescription,
    ...visitorFields,
    rule,
    target: required(Ascii, 'The requested target.'),
    state,
  }),
  z.strictObject({
    ...idAndDescription,
    ...visitorFields,
    state,
    opens: required(
      z.strictObject({ rule: Printable, target: Printable, fresh: z.boolean() }),
      'What the state contains, and whether it has not expired.',
    ),
  }),
  z.strictObject({
    ...idAndDescription,
    ...visitorFields,
    rule,
    passMinutes: required(positive(), 'How long the pass is valid.'),
    cookie,
  }),
  z.strictObject({
    ...idAndDescription,
    ...visitorFields,
    rule,
    cookie,
    excuses: required(z.boolean(), 'Whether the pass excuses the request from the rule.'),
  }),
  z.strictObject({
    ...idAndDescription,
    host,
    answer: required(Printable, 'The response of the captcha provider.'),
    solved: required(z.boolean(), 'Whether the challenge is solved on this host.'),
  }),
]);
export type CaptchaTest = z.infer<typeof CaptchaTest>;

const policy = required(Fields, 'The policy, with the keys of guard.json. The contract has the defaults.');
const allowUpgrades = required(z.array(z.string()).check(z.minLength(1)), 'The key `allowUpgrades` of the policy.');
const secret = required(z.string().check(z.minLength(16)), 'The secret of the policy.');
const captcha = required(Fields, 'The key `captcha` of the policy.');

/** Schemas of the files, by the start of the file name. */
export const vectorFiles = {
  candidates: groups(CandidateTest, {}),
  verdicts: groups(VerdictTest, { policy }),
  upgrades: groups(UpgradeTest, { allowUpgrades }),
  regex: groups(RegexTest, {}),
  backtracking: groups(BacktrackingTest, {}),
  policies: groups(PolicyTest, {}),
  captcha: groups(CaptchaTest, { secret, captcha }),
} as const;
export type VectorKind = keyof typeof vectorFiles;
