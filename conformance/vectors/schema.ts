/**
 * The schema of the conformance data in this folder. The files contain data only, because every engine and every real
 * proxy runs the same cases.
 *
 * A string of bytes is ASCII. Bytes above 0x7F are written in base64 under `<key>Base64`. Header values have no such
 * form: a character U+0000 to U+00FF in them is one byte.
 *
 * An absent key has its default: method GET, target `/`, no rewritten target, headers, body, peer address or host. The
 * policy contract has the defaults of a policy.
 */
import { z } from 'zod';
import { problemKinds } from '../../contract/policy/schema.ts';
import { allowedReasons, blockedReasons, overflows } from '../../contract/policy/reasons.ts';

const Ascii = z.string().regex(/^[\x00-\x7f]*$/);
const Printable = z.string().regex(/^[\x20-\x7e]*$/);
const Latin1 = z.string().regex(/^[\x00-\xff]*$/);
const Base64 = z.base64();

const id = z.string().regex(/^[a-z]+(?:-[a-z0-9]+)+-\d{3}$/);
const description = z.string().min(4).max(70);
const named = { id, description };

const groups = <T extends z.ZodType, P extends z.ZodRawShape>(test: T, shared: P) =>
  z.array(z.strictObject({ description, ...shared, tests: z.array(test).min(1) })).min(1);

/** Candidates of a raw path (docs/engine.md, "Candidates"), and the limit that ended them. */
export const CandidateTest = z.strictObject({
  ...named,
  input: Ascii.optional(),
  inputBase64: Base64.optional(),
  candidates: z.array(Printable),
  limit: z.enum(['limit_length', 'limit_decode_rounds', 'limit_candidates']).optional(),
});
export type CandidateTest = z.infer<typeof CandidateTest>;

export const VectorRequest = z.strictObject({
  method: Ascii.optional(),
  target: Ascii.optional(),
  targetBase64: Base64.optional(),
  rewritten: Ascii.optional(),
  headers: z.array(z.tuple([Ascii, Latin1])).optional(),
  body: Ascii.optional(),
  bodyBase64: Base64.optional(),
  ip: Ascii.optional(),
  host: Ascii.optional(),
});
export type VectorRequest = z.infer<typeof VectorRequest>;

export const ExpectedVerdict = z.strictObject({
  verdict: z.enum(['allowed', 'blocked']),
  reason: z.enum([...allowedReasons, ...blockedReasons]),
  target: z.string().optional(),
  candidate: Printable.optional(),
  rule: z.string().optional(),
  /**
   * For reason `limit_body`: why a part of the body was not inspected, and how many values and bytes were inspected.
   */
  body: z
    .strictObject({ overflow: z.enum(overflows), values: z.int().min(0), bytes: z.int().min(0) })
    .optional(),
});
export type ExpectedVerdict = z.infer<typeof ExpectedVerdict>;

/**
 * A request under the policy of its group, and the whole verdict. A field that is absent here must be absent in the
 * verdict.
 */
export const VerdictTest = z.strictObject({ ...named, request: VectorRequest, expect: ExpectedVerdict });
export type VerdictTest = z.infer<typeof VerdictTest>;

/**
 * A pattern, and whether the grammar accepts it; if not, the offset of the error. For kind `backtracking`: a pattern of
 * the grammar, and whether nginx accepts it; if not, the offset of the ambiguous repetition.
 */
export const RegexTest = z.strictObject({
  ...named,
  pattern: z.string(),
  ok: z.boolean(),
  offset: z.int().min(0).optional(),
});
export type RegexTest = z.infer<typeof RegexTest>;

export const ExpectedProblem = z.strictObject({
  kind: z.enum(problemKinds),
  /** Path of the key as written in guard.json, such as `rules[0].pattern`; empty: the file as a whole. */
  path: z.string(),
  /** 1-based line of the key, of the list entry, or of the point where the syntax breaks. */
  line: z.int().min(1),
  /** The valid key that the message must suggest. */
  nearest: z.string().optional(),
});
export type ExpectedProblem = z.infer<typeof ExpectedProblem>;

/**
 * The text of a policy file. It either loads, with these values after defaults, or has exactly these problems in any
 * order.
 */
export const PolicyTest = z.strictObject({
  ...named,
  text: z.string().optional(),
  textBase64: Base64.optional(),
  ok: z.boolean(),
  problems: z.array(ExpectedProblem).min(1).optional(),
  resolved: z.record(z.string(), z.unknown()).optional(),
});
export type PolicyTest = z.infer<typeof PolicyTest>;

/** The rule that states and passes identify. `of` is its id and its pattern. */
const SignedRule = z.strictObject({
  ...named,
  of: z.strictObject({ id: Printable, pattern: Printable }),
  rule: Printable,
});

/** A visitor as the guard sees one: Unix time, address as text, Host header. */
const visitor = { now: z.int().min(0), client: Ascii, host: Ascii };

/**
 * Values that response mode captcha signs and verifies (docs/captcha.md), under the secret and the `captcha` settings
 * of the group. A test is one of these:
 * - a target, and the `state` of the page for it
 * - a `state`, and the target that it `opens` to
 * - `passMinutes` of the policy, and the `cookie` that is set
 * - a `cookie`, and whether it `excuses` the rule
 * - a rule
 * - an `answer` of the provider, and whether the challenge is `solved` on that host
 */
export const CaptchaTest = z.union([
  SignedRule,
  z.strictObject({ ...named, ...visitor, rule: Printable, target: Ascii, state: Printable }),
  z.strictObject({
    ...named,
    ...visitor,
    state: Printable,
    opens: z.strictObject({ rule: Printable, target: Printable, fresh: z.boolean() }),
  }),
  z.strictObject({ ...named, ...visitor, rule: Printable, passMinutes: z.int().min(1), cookie: Printable }),
  z.strictObject({ ...named, ...visitor, rule: Printable, cookie: Printable, excuses: z.boolean() }),
  z.strictObject({ ...named, host: Ascii, answer: Printable, solved: z.boolean() }),
]);
export type CaptchaTest = z.infer<typeof CaptchaTest>;

/** Each kind of file, by the start of its name. */
export const vectorFiles = {
  candidates: groups(CandidateTest, {}),
  verdicts: groups(VerdictTest, { policy: z.record(z.string(), z.unknown()) }),
  regex: groups(RegexTest, {}),
  backtracking: groups(RegexTest, {}),
  policies: groups(PolicyTest, {}),
  captcha: groups(CaptchaTest, { secret: z.string().min(16), captcha: z.record(z.string(), z.unknown()) }),
} as const;
export type VectorKind = keyof typeof vectorFiles;
