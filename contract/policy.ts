/** The universal policy, guard.json: the only place where its keys, defaults, bounds and meanings stand. */
import { z } from 'zod';
import { parseNetwork } from './address.ts';
import { limits } from './limits.ts';
import { captchaProviders, modeNames, modes } from './modes.ts';
import { parseRegex } from './regex/grammar.ts';

/** Kinds of problem a policy can have: stable, the same from TypeScript and Go, used by the shared vectors. */
export const problemKinds = [
  'syntax', // not JSON or YAML, not UTF-8, duplicate key
  'unknown_key',
  'missing_key',
  'wrong_type',
  'out_of_range',
  'bad_value', // not one of the choices, or not in the form the key asks for
  'bad_regex',
  'bad_address',
  'conflict', // two keys that cannot stand together
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** A refinement that reports one of our kinds; the loader reads `params.kind`. */
function problem(ctx: z.RefinementCtx, kind: ProblemKind, message: string, path: (string | number)[] = []): void {
  ctx.addIssue({ code: 'custom', message, path, params: { kind } });
}

const regexProblem = (source: string): string | undefined => {
  const result = parseRegex(source);
  return result.ok ? undefined : `${result.reason} at offset ${result.offset}`;
};

export const Regex = z
  .string()
  .min(1)
  .max(limits.regexBytes)
  .superRefine((source, ctx) => {
    const reason = regexProblem(source);
    if (reason) problem(ctx, 'bad_regex', reason);
  })
  .describe('A regular expression of the grammar in docs/engine.md (a common subset of RE2, Go and PCRE).');

export const Network = z
  .string()
  .superRefine((text, ctx) => {
    if (!parseNetwork(text)) problem(ctx, 'bad_address', 'expected an IPv4 or IPv6 address or CIDR');
  })
  .describe('An IPv4 or IPv6 address, or a CIDR of them. Host bits are masked.');

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/; // RFC 9110 5.6.2
/** Headers that frame the message or belong to the connection: inspecting or setting them makes no sense or breaks it. */
export const connectionHeaders = [
  'host',
  'cookie',
  'connection',
  'te',
  'trailer',
  'upgrade',
  'content-length',
  'transfer-encoding',
];
/** Response headers that a policy cannot set: hop-by-hop (RFC 9110 7.6.1) and framing. */
export const framingHeaders = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
];

const HeaderName = z.string().superRefine((name, ctx) => {
  if (!token.test(name)) problem(ctx, 'bad_value', 'expected a header name (RFC 9110 token)');
  else if (connectionHeaders.includes(name.toLowerCase())) problem(ctx, 'bad_value', `${name} cannot be inspected`);
});

const ruleId = /^[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*$/;
const RuleId = z
  .string()
  .max(64)
  .superRefine((id, ctx) => {
    if (!ruleId.test(id)) problem(ctx, 'bad_value', 'expected lower-case words joined by - _ or .');
  });

export const targetKinds = ['path', 'query', 'body'] as const;
export type TargetKind = (typeof targetKinds)[number];

const methodName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;
const Method = z.string().superRefine((name, ctx) => {
  if (!methodName.test(name)) problem(ctx, 'bad_value', 'expected an HTTP method, or "*" for all');
});

export const Rule = z.strictObject({
  id: RuleId.describe('Name of the rule in verdicts and events.'),
  action: z.enum(['block', 'allow']).describe('What a match means.'),
  pattern: Regex,
  targets: z
    .array(z.enum(targetKinds))
    .min(1)
    .default([...targetKinds])
    .describe('Kinds of target it is matched against.'),
  description: z.string().max(500).default('').describe('What it is for.'),
});

const hostPattern =
  /^(?:\*\.)?(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;
const HostPattern = z.string().superRefine((host, ctx) => {
  if (!hostPattern.test(host)) problem(ctx, 'bad_value', 'expected a host name, or *.suffix');
});

export const Exception = z.strictObject({
  rules: z.array(z.string()).min(1).describe('Ids of the rules that are off.'),
  path: Regex.describe('Every path candidate must match it.'),
  hosts: z.array(HostPattern).default([]).describe('Exact host names or *.suffix; none: any host.'),
});

const control = /[\x00-\x1f\x7f]/; // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const ResponseHeaders = z.record(z.string(), z.string().max(limits.headerBytes)).superRefine((headers, ctx) => {
  for (const [name, value] of Object.entries(headers)) {
    if (!token.test(name)) problem(ctx, 'bad_value', 'expected a header name (RFC 9110 token)', [name]);
    else if (framingHeaders.includes(name.toLowerCase()))
      problem(ctx, 'bad_value', `${name} is set by the proxy alone`, [name]);
    else if (control.test(value)) problem(ctx, 'bad_value', 'a header value has no control characters', [name]);
  }
});

function isWebUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || /[\x00-\x20\x7f\\]/.test(text)) return false;
  return URL.canParse(text);
}

const RedirectUrl = z.string().superRefine((url, ctx) => {
  const rootRelative = /^\/(?![/\\])[^\x00-\x20\x7f\\]*$/.test(url);
  if (!rootRelative && !isWebUrl(url))
    problem(ctx, 'bad_value', 'expected http://, https:// or a path that starts with one slash');
});

const WebUrl = z.string().superRefine((url, ctx) => {
  if (!isWebUrl(url)) problem(ctx, 'bad_value', 'expected an http:// or https:// URL');
});

const providerNames = [...Object.keys(captchaProviders), ...Object.values(captchaProviders)] as [string, ...string[]];

export const Captcha = z.strictObject({
  provider: z.enum(providerNames).describe('captcha-a is Turnstile, captcha-b hCaptcha, captcha-c reCAPTCHA.'),
  siteKey: z.string().min(1).max(256).describe('The public key of the widget.'),
  secretKey: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Key for verification, or ${NAME}; without it the page only challenges.'),
  passMinutes: z.int().min(1).max(1440).default(60).describe('How long a solved challenge excuses its rule.'),
  title: z.string().max(200).default('One more step').describe('Heading of the page.'),
  verifyUrl: WebUrl.optional().describe('Verification endpoint; default: the provider.'),
});

const Status = z.int().min(200).max(599);

export const Response = z
  .strictObject({
    mode: z.enum(modeNames).default('text').describe('How a blocked request is answered.'),
    statusCode: Status.optional().describe('Status of the answer; default: per mode.'),
    body: z
      .string()
      .max(limits.responseBodyBytes)
      .optional()
      .describe('Body of the modes that carry one; default: per mode.'),
    contentType: z.string().min(1).max(256).optional().describe('Content-Type; default: per mode.'),
    headers: ResponseHeaders.default({}).describe('Further response headers.'),
    redirectUrl: RedirectUrl.default('/').describe('Target of mode redirect: http, https or root-relative.'),
    proxyUrl: WebUrl.optional().describe('Target of mode proxy; required there.'),
    gzipBombMb: z.int().min(1).max(1024).default(10).describe('Decompressed size of gzip_bomb, MiB.'),
    retryAfterSeconds: z.int().min(1).max(86_400).default(300).describe('Retry-After of ratelimit, seconds.'),
    tarpitDelayMs: z
      .int()
      .min(10)
      .max(30_000)
      .default(1000)
      .describe('Time between two bytes of tarpit, milliseconds.'),
    tarpitMaxDurationSeconds: z.int().min(1).max(3600).default(60).describe('When a tarpit ends, seconds.'),
    streamSizeMb: z.int().min(1).max(102_400).default(100).describe('Size of infinite_stream, MiB.'),
    maxResponseSeconds: z
      .int()
      .min(1)
      .max(3600)
      .default(60)
      .describe('When gzip_bomb, infinite_stream and proxy end, seconds.'),
    captcha: Captcha.optional().describe('Used by mode captcha.'),
    maxHeld: z
      .int()
      .min(1)
      .max(65_536)
      .default(256)
      .describe('Requests held at once by the modes that hold, per proxy process; past it the answer is text.'),
    maxHeldPerAddress: z.int().min(1).max(65_536).default(8).describe('The same, per client address.'),
  })
  .superRefine((response, ctx) => {
    const row: { statusCodes?: readonly number[] } = modes[response.mode];
    if (row.statusCodes && response.statusCode !== undefined && !row.statusCodes.includes(response.statusCode))
      problem(ctx, 'bad_value', `mode ${response.mode} takes status ${row.statusCodes.join(', ')}`, ['statusCode']);
    if (response.contentType !== undefined && control.test(response.contentType))
      problem(ctx, 'bad_value', 'a header value has no control characters', ['contentType']);
    if (response.mode === 'proxy' && response.proxyUrl === undefined)
      problem(ctx, 'missing_key', 'mode proxy needs proxyUrl', ['proxyUrl']);
    if (response.mode === 'captcha' && response.captcha === undefined)
      problem(ctx, 'missing_key', 'mode captcha needs captcha', ['captcha']);
  });

export const Policy = z
  .strictObject({
    $schema: z.string().optional().describe('Ignored; editors complete from it.'),
    enabled: z.boolean().default(true).describe('Enables or disables inspection.'),
    mode: z.enum(['enforce', 'detect']).default('enforce').describe('detect reports and lets through.'),
    debug: z.boolean().default(false).describe("Verbose diagnostic logging in the proxy's logger."),
    securityLog: z.boolean().default(true).describe('One JSON event line for each blocked request.'),
    securityLogFile: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Events are appended to this file; default: standard output.'),
    enableDefaultPatterns: z.boolean().default(true).describe('The built-in block rules.'),
    enableDefaultAllowPatterns: z.boolean().default(true).describe('The built-in allow rules.'),
    disabledRules: z.array(z.string()).default([]).describe('Ids of built-in rules to leave out.'),
    blockPatterns: z
      .array(Regex)
      .max(limits.policyRules)
      .default([])
      .describe('Further patterns that block: block[0], block[1], ...'),
    allowPatterns: z
      .array(Regex)
      .max(limits.policyRules)
      .default([])
      .describe('Patterns that let through, whatever blocks: allow[0], allow[1], ...'),
    rules: z.array(Rule).max(limits.policyRules).default([]).describe('The long form of own rules.'),
    exceptions: z.array(Exception).max(limits.policyRules).default([]).describe('Rules that are off for some paths.'),
    allowedIps: z.array(Network).max(limits.policyAddresses).default([]).describe('Clients that bypass all checks.'),
    trustedProxies: z
      .array(Network)
      .max(limits.policyAddresses)
      .default([])
      .describe('Peers whose X-Forwarded-For is believed.'),
    secret: z
      .string()
      .min(16)
      .max(1024)
      .or(z.string().regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/))
      .optional()
      .describe('Key of captcha cookies and seed of decoys, or ${NAME}; without it each process makes its own.'),
    methods: z.array(Method).min(1).default(['GET']).describe('Methods that are inspected; "*" means all.'),
    checkQuery: z.boolean().default(false).describe('Query values are inspected too.'),
    checkBody: z.boolean().default(false).describe('Bodies are inspected too.'),
    maxBodyBytes: z
      .int()
      .min(1)
      .max(10 * 1024 * 1024)
      .default(65_536)
      .describe('How much of a body is inspected, bytes.'),
    checkHeaders: z
      .array(HeaderName)
      .max(64)
      .default([])
      .describe('Forwarded-URL headers to inspect, such as X-Original-URL.'),
    response: Response.prefault({}).describe('How a blocked request is answered.'),
  })
  .superRefine(checkIds);
export type Policy = z.output<typeof Policy>;
/** What a user may write. */
export type PolicyFile = z.input<typeof Policy>;
