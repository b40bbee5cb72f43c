/** Request and response bodies of the management API. Those about the state of the daemon are in state.ts. */
import * as z from 'zod/mini';
import { daemonBounds } from '../daemon/bounds.ts';
import { defaulted, optional, required } from '../schema/kinds.ts';
import { apiErrors } from './errors.ts';
import {
  apiAddress,
  apiBannable,
  apiDuration,
  apiNetwork,
  endingDuration,
  integer,
  serviceName,
  text,
  textLine,
  textOrNull,
} from './fields.ts';

export const BanRequest = z.strictObject({
  ip: required(apiBannable(), 'An address, or a network not wider than /8 (IPv4) or /32 (IPv6).'),
  duration: optional(apiDuration(), 'Duration; default: `global.ban_duration`, grown for repeat offenders.'),
  reason: optional(textLine(), 'Human-readable reason; default: `banned through the API`.'),
  replace: defaulted(
    z.boolean(),
    false,
    'Whether to replace a ban that lasts longer; otherwise the longest ban stays.',
  ),
  force: defaulted(
    z.boolean(),
    false,
    'Whether to ban a client of the SSH server of this host, where `bans.scope` is `host`, or addresses of a CDN or a load balancer, with all clients behind it.',
  ),
});

export const UnbanRequest = z.strictObject({
  ip: required(apiNetwork(), 'The exact address or network of the ban.'),
});

export const AllowRequest = z.strictObject({
  ip: required(apiBannable(), 'An address, or a network not wider than /8 (IPv4) or /32 (IPv6).'),
  duration: required(endingDuration(), 'How long the exemption lasts.'),
  reason: optional(textLine(), 'Human-readable reason; default: `allowed through the API`.'),
});

export const ReportRequest = z.strictObject({
  ip: required(apiAddress(), 'The address that failed.'),
  service: optional(serviceName(), 'The service, whose limits apply; default: those of `global`.'),
  reason: required(textLine(), 'What failed, such as `failed login`.'),
});

export const BanRecord = z.strictObject({
  ip: text('Address or network in canonical text.'),
  reason: text('Human-readable reason.'),
  service: textOrNull('The service whose failures caused the ban; null: none.'),
  origin: required(
    z.enum(['local', 'api', 'intake', 'port_scan', 'crowdsec']),
    'Cause of the ban: failures at a service, this API, gateway events, the port-scan trap, or the threat feed.',
  ),
  banned_at: required(z.nullable(z.string()), 'RFC 3339, UTC; null: the threat feed does not report it.'),
  expires_at: required(z.nullable(z.string()), 'RFC 3339, UTC; null: never.'),
  remaining: text('Remaining duration, such as `3h59m12s` or `permanent`.'),
  packets: optional(
    z.int().check(z.minimum(0)),
    'In `GET /banlist`: packets that the firewall dropped, at most a minute ago; absent: it does not count them.',
  ),
  detected: optional(z.literal(true), '`bans.mode` is detect: the ban is listed and not enforced.'),
  evidence: optional(
    z.array(z.string()),
    `The last lines of the log that caused the ban, in printable ASCII: at most ${daemonBounds.banEvidence.lines} of ${daemonBounds.banEvidence.lineBytes} bytes.`,
  ),
});
export type BanRecord = z.output<typeof BanRecord>;

export const ExemptionRecord = z.strictObject({
  ip: text('Address or network in canonical text.'),
  reason: text('Human-readable reason.'),
  allowed_at: text('RFC 3339, UTC.'),
  expires_at: text('RFC 3339, UTC.'),
  remaining: text('Remaining duration, such as `1h59m12s`.'),
});
export type ExemptionRecord = z.output<typeof ExemptionRecord>;

export const BanList = z.strictObject({
  bans: required(z.array(BanRecord), 'Bans of this daemon, sorted by address, then decisions of the feed.'),
  exemptions: optional(
    z.array(ExemptionRecord),
    'On the first page: the exemptions in force, or those that cover `ip`; absent: none.',
  ),
  cursor: optional(z.string(), 'For the next page; absent: this is the last page.'),
});

export const Lists = z.array(
  z.strictObject({
    name: text('The preset, file or address of the list.'),
    action: required(z.enum(['ban', 'detect']), 'What happens to connections of its addresses.'),
    entries: integer('Addresses and networks in force.'),
    unread: integer('Rows without an address, and those beyond the bounds.'),
    own_networks: integer(
      'Dropped: private, loopback, link-local, shared and multicast networks, and those of this host.',
    ),
    too_wide: integer('Dropped: networks wider than /8 (IPv4) or /32 (IPv6).'),
    edges: integer('Dropped: networks of CDNs and load balancers.'),
    read_at: textOrNull('When the content in force was read, RFC 3339, UTC; null: there is none.'),
    detected: integer('Connections of its addresses, with action `detect`.'),
    problem: textOrNull('Why the last read did not replace the content; null: it did.'),
  }),
);

export const Why = z.strictObject({
  ip: text('The address or network in canonical text.'),
  is_refused: required(z.boolean(), 'Whether bans, decisions or lists refuse it.'),
  bans: required(z.array(BanRecord), 'The bans that cover it, widest first.'),
  decisions: required(z.array(BanRecord), 'The decisions of the threat feed that cover it.'),
  lists: required(z.array(z.string()), 'The lists that have it.'),
  preset: textOrNull('The preset of networks that has it.'),
  country: text('Its country; empty: unknown.'),
  is_exempt: required(
    z.boolean(),
    'Whether it is never banned: by never_ban, as an address of this host, or by an exemption.',
  ),
  exemption: required(z.nullable(ExemptionRecord), 'The exemption with an end that covers it.'),
  commands: required(z.array(z.string()), 'What lifts it.'),
});
export type Why = z.output<typeof Why>;

export const Reported = z.strictObject({
  ip: text('The address in canonical text.'),
  banned: required(z.boolean(), 'Whether this failure banned the address.'),
});

export const Flushed = z.strictObject({
  lifted: integer('Bans that were lifted.'),
});

export const Reloaded = z.strictObject({
  changed: required(
    z.array(z.string()),
    'Changed keys, also `services.<name>.http.policy` when only that file changed; empty: none.',
  ),
  restart: required(z.array(z.string()), 'Keys that differ from the start and need a restart.'),
  problems: required(z.array(z.string()), 'Current problems, as in `reasons` of /health.'),
});

const errorCodes = Object.keys(apiErrors) as (keyof typeof apiErrors)[];

const Problem = z.strictObject({
  path: text('Dotted path of the key; empty: the file as a whole.'),
  line: integer('From 1; 0: an environment variable.'),
  column: integer('From 1.'),
  message: text('What was expected and what was found.'),
  hint: optional(z.string(), 'What to do.'),
});

export const ErrorAnswer = z.strictObject({
  error: z.strictObject({
    code: required(z.enum(errorCodes), 'Stable error code.'),
    message: text('Human-readable description.'),
    problems: optional(z.array(Problem), 'With invalid_configuration: all problems.'),
  }),
});
export type ErrorAnswer = z.output<typeof ErrorAnswer>;
