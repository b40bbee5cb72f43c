import * as z from 'zod/mini';
import { hasReference } from '../daemon/environment.ts';
import { type DaemonFile, daemonSchema } from '../daemon/schema.ts';
import { crossChecked } from '../schema/cross-checked.ts';
import {
  ClientNetwork,
  filePath,
  formed,
  HostPattern,
  Network,
  Regex,
  refined,
  regex,
  secret,
  text,
} from '../schema/fields.ts';
import { defaulted, integer, list, nested, optional, required, shortForm } from '../schema/kinds.ts';
import { type Path, report, valueAt } from '../schema/problem.ts';
import { policyModes } from '../values/policy-modes.ts';
import { token } from '../values/token.ts';
import { applicationNames } from './application-names.ts';
import { exploitSets } from './exploit-sets.ts';
import { type HeaderTarget, headerNameOf, isHeaderTarget } from './headers.ts';
import { limits } from './limits.ts';
import { checkPatternBytes } from './pattern-bytes.ts';
import { BannedResponse, Response } from './response.ts';
import { checkDisabledRules, checkExceptions, checkRuleIds } from './rule-ids.ts';
import { ruleSizes } from './rule-sizes.ts';

export { problemKinds } from '../schema/problem.ts';
export { Captcha, framingHeaders, Response } from './response.ts';

/** Headers that frame the message or belong to the connection. They have no value to inspect. */
export const connectionHeaders = [
  'host',
  'connection',
  'te',
  'trailer',
  'upgrade',
  'content-length',
  'transfer-encoding',
];

/** The daemon's schema is built only for a policy with the key, because building it takes time. */
const Tcp = z.custom<DaemonFile>().check(
  z.superRefine<DaemonFile>((value, ctx) => {
    for (const issue of daemonSchema().safeParse(value).error?.issues ?? [])
      if (!hasReference(valueAt(value, issue.path as Path))) ctx.addIssue({ ...issue });
  }),
);

const longestName = 256;
const HeaderName = refined(longestName, (name) => {
  if (!token.test(name)) return 'expected a header name (RFC 9110 token)';
  return connectionHeaders.includes(name.toLowerCase()) ? `${name} cannot be inspected` : undefined;
});

const idBytes = 64; // an event line contains an id and needs space for other values
const RuleId = formed(/^[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*$/, 'lower-case words joined by - _ or .', idBytes);

export const targetKinds = ['path', 'query', 'body'] as const;
export type TargetKind = (typeof targetKinds)[number];
export type RuleTarget = TargetKind | HeaderTarget;

const mostHeaders = 64;

const longestHeader = 64; // registered names have up to 42 bytes
const targetForm = new RegExp(
  `^(?:${targetKinds.join('|')}|header:[!#$%&'*+\\-.^_\`|~0-9A-Za-z]{1,${longestHeader}})$`,
);
const RuleTarget = formed(targetForm, 'path, query, body or header:<name>', 'header:'.length + longestHeader).check(
  z.superRefine<string>((target, ctx) => {
    if (isHeaderTarget(target) && connectionHeaders.includes(headerNameOf(target).toLowerCase()))
      report(ctx, { kind: 'bad_value', message: `${target} cannot be inspected` });
  }),
) as unknown as z.ZodMiniType<RuleTarget, RuleTarget>;

const methodName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/; // RFC 9110 9.1: a token
const Method = z.string().check(z.regex(methodName, { error: 'expected an HTTP method, or "*" for all' }));
const mostMethods = 64; // the registry of HTTP has 40

const upgradeToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+)?$/; // RFC 9110 7.8
const longestUpgrade = 64; // registered names have up to 26 bytes
const Upgrade = formed(upgradeToken, 'a protocol of an Upgrade header, such as websocket or SPDY/3.1', longestUpgrade);
const mostUpgrades = 16; // IANA's registry has 8

export const Rule = z.strictObject({
  id: required(RuleId, 'Name of the rule in verdicts and events.', 'old-admin'),
  action: required(z.enum(['block', 'allow']), 'What a match means.'),
  pattern: Regex,
  targets: defaulted(
    list(RuleTarget, targetKinds.length + mostHeaders, 1),
    [...targetKinds],
    '`path`, `query` or `body`, or `header:` and the name of a header whose lines are matched verbatim.',
  ),
  description: defaulted(text(500), '', 'What it is for.'),
});

const { policyRules, policyAddresses } = limits;

export const Exception = z.strictObject({
  rules: required(list(z.string(), policyRules, 1), 'Ids of the block rules that are off.', ['env-file']),
  path: required(regex(), 'Every path candidate must match it.', '^/docs/'),
  hosts: defaulted(list(HostPattern, policyRules), [], 'Exact host names or *.suffix; none: any host.'),
  clients: defaulted(list(ClientNetwork, policyRules), [], 'Networks of clients; none: any client.'),
});

/** Segments of unreserved characters that do not begin with a dot, so that no segment climbs. */
const basePath = /^\/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?)?$/;
const longestBasePath = 128; // each profile repeats it in every exception

export const Application = shortForm(
  z.strictObject({
    name: required(z.enum(applicationNames), 'Name of the application.'),
    hosts: defaulted(list(HostPattern, policyRules), [], 'Exact host names or *.suffix; none: any host.'),
    basePath: optional(
      formed(basePath, 'a path of letters, digits and . _ ~ -, such as /git', longestBasePath),
      'The path below which it is served; default: per application.',
    ),
  }),
  'name',
);

export type Exception = z.output<typeof Exception>;

export const BanList = z.strictObject({
  file: required(filePath(), 'The file that tcp-guard writes: its `bans.publish`.', '/var/lib/guard-bans/bans'),
  response: optional(BannedResponse, 'The response to banned clients; default: that of the policy.'),
});

const Patterns = list(Regex, policyRules);
const Networks = list(Network, policyAddresses);

/** Keys for the scope of the inspection, and for rules. */
const inspection = {
  enableDefaultPatterns: defaulted(z.boolean(), true, 'The built-in block rules.'),
  enableDefaultAllowPatterns: defaulted(z.boolean(), true, 'The built-in allow rules.'),
  builtinRules: defaulted(
    z.enum(ruleSizes),
    'standard',
    'extended adds built-in block rules for names of files that some honest sites serve.',
  ),
  exploits: defaulted(
    z.enum(exploitSets),
    'off',
    'Blocks requests that exploit known vulnerabilities: by method, path and query, or by all, also headers and bodies.',
  ),
  disabledRules: defaulted(list(z.string(), policyRules), [], 'Ids of built-in rules to leave out.'),
  blockPatterns: defaulted(Patterns, [], 'Further patterns that block: block[0], block[1], ...'),
  allowPatterns: defaulted(Patterns, [], 'Patterns that allow, and override block rules: allow[0], allow[1], ...'),
  rules: defaulted(list(Rule, policyRules), [], 'Custom rules with an id and other options.'),
  exceptions: defaulted(list(Exception, policyRules), [], 'Rules that are off for some paths.'),
  applications: defaulted(
    list(Application, limits.policyApplications),
    [],
    'Applications whose own files pass: a name, or an object.',
  ),
  allowedIps: defaulted(list(ClientNetwork, policyAddresses), [], 'Clients that bypass all checks.'),
  trustedProxies: defaulted(Networks, [], 'Peers whose X-Forwarded-For is used.'),
  banList: optional(BanList, 'Refuses the clients whose addresses a file has, whatever `methods` has.'),
  methods: defaulted(list(Method, mostMethods, 1), ['GET'], 'Methods that are inspected; "*" means all.'),
  allowUpgrades: defaulted(
    list(Upgrade, mostUpgrades, 1),
    ['websocket'],
    'Protocols to which a request may switch its connection; CONNECT: tunnels. Others are removed.',
  ),
  checkQuery: defaulted(z.boolean(), false, 'Query values are inspected too.'),
  checkBody: defaulted(z.boolean(), false, 'Bodies are inspected too.'),
  maxBodyBytes: defaulted(integer(1, 10 * 1024 * 1024), 65_536, 'How much of a body is inspected, bytes.'),
  bodyOverflow: defaulted(
    z.enum(['pass', 'block']),
    'pass',
    'What happens to a body of which a part cannot be inspected.',
  ),
  checkHeaders: defaulted(
    list(HeaderName, mostHeaders),
    [],
    'Headers to inspect: those that carry a URL, such as X-Original-URL, and Cookie.',
  ),
};

const Keys = z.strictObject({
  $schema: optional(z.string(), 'Ignored; editors complete from it.'),
  enabled: defaulted(z.boolean(), true, 'Enables or disables inspection.'),
  mode: defaulted(z.enum(policyModes), 'enforce', 'detect reports and passes every request on.'),
  debug: defaulted(z.boolean(), false, "Verbose diagnostic logging in the proxy's logger."),
  securityLog: defaulted(z.boolean(), true, 'One JSON event line for each blocked request.'),
  securityLogFile: optional(filePath(), 'Events are appended to this file; default: standard output.'),
  secret: optional(
    secret(16, 1024),
    'Key of captcha cookies and seed of decoys, or ${NAME}; without it each process makes its own.',
  ),
  ...inspection,
  response: nested(Response, 'The response to a blocked request.'),
  tcp: optional(Tcp, 'The layer-4 part, with the keys of tcp-guard.yaml.'),
});

export const Policy = crossChecked(Keys, checkRuleIds, checkDisabledRules, checkExceptions, checkPatternBytes);
export type Policy = z.output<typeof Policy>;
/** A policy as the user writes it. */
export type PolicyFile = z.input<typeof Policy>;
