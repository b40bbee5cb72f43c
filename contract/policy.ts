/** The universal policy, guard.json: the only place where its keys, defaults, bounds and meanings stand. */
import * as z from 'zod';
import { filePath, formed, HostPattern, Network, Regex, refined, secret, text, token } from './fields.ts';
import { limits } from './limits.ts';
import { crossChecked } from './problem.ts';
import { Response } from './response.ts';
import { checkDisabledRules, checkExceptions, checkRuleIds } from './rule-ids.ts';
import { Tcp } from './tcp.ts';

export { Network, Regex } from './fields.ts';
export { type ProblemKind, problemKinds } from './problem.ts';
export { Captcha, framingHeaders, Response } from './response.ts';

/** Headers that frame the message or belong to the connection: they carry no URL to inspect. */
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

const longestName = 256;
const HeaderName = refined(longestName, (name) => {
  if (!token.test(name)) return 'expected a header name (RFC 9110 token)';
  return connectionHeaders.includes(name.toLowerCase()) ? `${name} cannot be inspected` : undefined;
});

const idBytes = 64; // ids stand in every event line, beside values that need the room
const RuleId = formed(/^[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*$/, 'lower-case words joined by - _ or .', idBytes);

export const targetKinds = ['path', 'query', 'body'] as const;
export type TargetKind = (typeof targetKinds)[number];

const methodName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/; // RFC 9110 9.1: a token
const Method = z.string().regex(methodName, { error: 'expected an HTTP method, or "*" for all' });

export const Rule = z.strictObject({
  id: RuleId.describe('Name of the rule in verdicts and events.'),
  action: z.enum(['block', 'allow']).describe('What a match means.'),
  pattern: Regex,
  targets: z
    .array(z.enum(targetKinds))
    .min(1)
    .default([...targetKinds])
    .describe('Kinds of target it is matched against.'),
  description: text(500).default('').describe('What it is for.'),
});

export const Exception = z.strictObject({
  rules: z.array(z.string()).min(1).describe('Ids of the block rules that are off.'),
  path: Regex.describe('Every path candidate must match it.'),
  hosts: z.array(HostPattern).default([]).describe('Exact host names or *.suffix; none: any host.'),
});

/** What is inspected, and what blocks or lets through. */
const inspection = {
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
};

const Keys = z.strictObject({
  $schema: z.string().optional().describe('Ignored; editors complete from it.'),
  enabled: z.boolean().default(true).describe('Enables or disables inspection.'),
  mode: z.enum(['enforce', 'detect']).default('enforce').describe('detect reports and lets through.'),
  debug: z.boolean().default(false).describe("Verbose diagnostic logging in the proxy's logger."),
  securityLog: z.boolean().default(true).describe('One JSON event line for each blocked request.'),
  securityLogFile: filePath().optional().describe('Events are appended to this file; default: standard output.'),
  secret: secret(16, 1024)
    .optional()
    .describe('Key of captcha cookies and seed of decoys, or ${NAME}; without it each process makes its own.'),
  ...inspection,
  response: Response.prefault({}).describe('How a blocked request is answered.'),
  tcp: Tcp.optional().describe('The layer-4 part, with the keys of tcp-guard.yaml.'),
});

export const Policy = crossChecked(Keys, checkRuleIds, checkDisabledRules, checkExceptions);
export type Policy = z.output<typeof Policy>;
/** What a user may write. */
export type PolicyFile = z.input<typeof Policy>;
