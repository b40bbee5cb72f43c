/** What the management API answers with, and the bodies it takes. */
import * as z from 'zod/mini';
import { defaulted, optional, required } from '../schema/kinds.ts';
import { apiErrors } from './errors.ts';
import { apiAddress, apiDuration, apiNetwork, line, serviceName } from './fields.ts';

const number = (description: string) => required(z.number(), description);
const integer = (description: string) => required(z.int().check(z.minimum(0)), description);
const text = (description: string) => required(z.string(), description);
const textOrNull = (description: string) => required(z.nullable(z.string()), description);
const time = (description: string) => text(`${description} RFC 3339, UTC.`);

export const BanRequest = z.strictObject({
  ip: required(apiNetwork(), 'An address, or a network not wider than /8 (IPv4) or /32 (IPv6).'),
  duration: optional(apiDuration(), 'How long; default: `global.ban_duration`, longer for repeaters.'),
  reason: optional(line(), 'Why, for people; default: `banned through the API`.'),
  replace: defaulted(z.boolean(), false, 'Take the place of a ban that lasts longer; else the longest wins.'),
});

export const UnbanRequest = z.strictObject({
  ip: required(apiNetwork(), 'Exactly the address or network that is banned.'),
});

export const ReportRequest = z.strictObject({
  ip: required(apiAddress(), 'Who failed.'),
  service: optional(serviceName(), 'At which service: its numbers apply; default: those of `global`.'),
  reason: required(line(), 'What failed, such as `failed login`.'),
});

export const BanRecord = z.strictObject({
  ip: text('Address or network in canonical text.'),
  reason: text('Why, for people.'),
  service: textOrNull('The service whose failures banned; null: none.'),
  origin: required(
    z.enum(['local', 'api', 'intake', 'port_scan', 'crowdsec']),
    'Who banned: failures at a service, this API, events of gateways, the port-scan trap, or the threat feed.',
  ),
  banned_at: required(z.nullable(z.string()), 'RFC 3339, UTC; null: the threat feed does not report it.'),
  expires_at: required(z.nullable(z.string()), 'RFC 3339, UTC; null: never.'),
  remaining: text('How long it still lasts, such as `3h59m12s` or `permanent`.'),
});
export type BanRecord = z.output<typeof BanRecord>;

export const BanList = z.strictObject({
  bans: required(z.array(BanRecord), 'By address: own bans before decisions of the feed.'),
  cursor: optional(z.string(), 'For the next page; absent: this was the last.'),
});

const FeedHealth = z.strictObject({
  status: required(z.enum(['healthy', 'starting', 'stale']), 'stale: the last known decisions are enforced.'),
  decisions: integer('Decisions that are enforced.'),
  update_frequency: text('Time between two polls, such as `10s`.'),
  last_success: textOrNull('RFC 3339, UTC; null: never yet.'),
  last_error: textOrNull('What the last failed poll said; null: it did not fail.'),
});

export const Health = z.strictObject({
  status: required(
    z.enum(['ok', 'degraded', 'unavailable']),
    'degraded: it serves, and a part of it is ill; unavailable: no connections are accepted.',
  ),
  version: optional(z.string(), 'Absent, as all that follows, where the token is missing.'),
  uptime_seconds: optional(z.int(), 'Whole seconds since the start.'),
  reasons: optional(z.array(z.string()), 'What is wrong, when something is.'),
  crowdsec: optional(FeedHealth, 'The threat feed; absent: not enabled.'),
});
export type Health = z.output<typeof Health>;

const ServiceStats = z.strictObject({
  active_connections: integer('Connections now.'),
  total_allowed: integer('Connections since the start that were let through.'),
  total_blocked: integer('Connections since the start that were refused.'),
  bytes_in: number('Bytes from clients.'),
  bytes_out: number('Bytes to clients.'),
});

const TableFill = z.strictObject({
  entries: integer('Entries now.'),
  capacity: integer('Most entries that are kept.'),
});

export const Stats = z.strictObject({
  services: required(z.record(z.string(), ServiceStats), 'By name.'),
  tables: required(z.record(z.string(), TableFill), 'Bounded tables of the daemon, by name.'),
  uptime_seconds: integer('Whole seconds since the start.'),
});

export const Services = z.array(
  z.strictObject({
    name: text('Key in the configuration.'),
    protocol: text('The inspector.'),
    listen: text('Where it listens.'),
    upstream: text('Where connections are relayed to.'),
    enabled: required(z.boolean(), 'Whether it is listened on.'),
  }),
);

export const Reported = z.strictObject({
  ip: text('The address in canonical text.'),
  banned: required(z.boolean(), 'Whether this failure was one too many.'),
});

export const Reloaded = z.strictObject({
  changed: required(z.array(z.string()), 'Keys that changed; empty: nothing did.'),
  restart: required(z.array(z.string()), 'Keys that are another than at the start and wait for the next one.'),
  problems: required(z.array(z.string()), 'What does not work now, as the `reasons` of /health.'),
});

export const auditActions = ['allowed', 'auth_failure', 'blocked', 'banned', 'unbanned'] as const;

/** The `data` of a server-sent event, and a line of the audit file. */
export const SecurityEvent = z.object({
  type: required(z.literal('security_event'), 'What kind of record it is.'),
  timestamp: time('When.'),
  service: text('Name of the service; empty: none.'),
  protocol: text('Its inspector.'),
  client_ip: text('Address in canonical text.'),
  client_port: integer('Port of the client; 0: none.'),
  country_code: text('ISO 3166-1 alpha-2; empty: unknown.'),
  action: required(z.enum(auditActions), 'What was done.'),
  reason: text('Reason code, such as `ban`, `rate_limit` or `port_scan`.'),
  confidence: optional(z.literal('probable'), 'A guess from the shape of the session.'),
  bytes_in: number('Bytes from the client.'),
  bytes_out: number('Bytes to the client.'),
  duration_ms: number('How long the connection lasted.'),
  count: optional(z.int(), 'How many equal events of a flood this one summarizes.'),
  facts: optional(z.record(z.string(), z.string()), 'At level debug: what the inspector learnt.'),
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
    code: required(z.enum(errorCodes), 'Stable.'),
    message: text('What is wrong, for people.'),
    problems: optional(z.array(Problem), 'With invalid_configuration: everything that is wrong.'),
  }),
});
export type ErrorAnswer = z.output<typeof ErrorAnswer>;
