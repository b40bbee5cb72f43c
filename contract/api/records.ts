/** Response and request bodies of the management API. */
import * as z from 'zod/mini';
import { daemonBounds } from '../daemon/bounds.ts';
import { planeNames } from '../daemon/sections.ts';
import { defaulted, optional, required } from '../schema/kinds.ts';
import { apiErrors } from './errors.ts';
import { apiAddress, apiBannable, apiDuration, apiNetwork, endingDuration, serviceName, textLine } from './fields.ts';

const number = (description: string) => required(z.number(), description);
const integer = (description: string) => required(z.int().check(z.minimum(0)), description);
const text = (description: string) => required(z.string(), description);
const textOrNull = (description: string) => required(z.nullable(z.string()), description);

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
    unread: integer('Rows without an address.'),
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

const FeedHealth = z.strictObject({
  status: required(
    z.enum(['healthy', 'starting', 'stale']),
    'stale: polling fails, and the last decisions stay in force.',
  ),
  decisions: integer('Decisions in force.'),
  update_frequency: text('Time between two polls, such as `10s`.'),
  last_success: textOrNull('RFC 3339, UTC; null: never.'),
  last_error: textOrNull('Error of the last poll; null: it succeeded.'),
});

/** States of the ban store, see `BansHealth`. */
export const storeStates = ['ok', 'failing', 'stalled', 'unread'] as const;

const BansHealth = z.strictObject({
  enforced: integer('Bans in force.'),
  detected: optional(z.int().check(z.minimum(0)), 'Bans that `bans.mode` detect does not enforce; absent: none.'),
  store: required(
    z.enum(storeStates),
    'failing: bans in force are not written to disk; stalled: the disk does not respond; unread: bans on disk could not be read and are not in force.',
  ),
});

const DataPlane = z.strictObject({
  name: required(z.enum(planeNames), 'net: node:net; linux: epoll and splice.'),
  reason: text('Why: the configuration, or what prevents the Linux plane.'),
});

export type DataPlane = z.output<typeof DataPlane>;

export const Health = z.strictObject({
  status: required(
    z.enum(['ok', 'degraded', 'unavailable']),
    'degraded: the daemon serves with problems; unavailable: no connections are accepted.',
  ),
  version: optional(z.string(), 'Absent, like all following keys, without the token.'),
  uptime_seconds: optional(z.int(), 'Whole seconds since the start.'),
  reasons: optional(z.array(z.string()), 'Problems; absent: none.'),
  port_scan: optional(
    z.strictObject({
      unattributed: integer(
        'Probes that were reset before they were accepted, such as those of `nmap -sT`: node:net reports no address, so they count for no client. 0 with data_plane: linux.',
      ),
    }),
    'The trap for port scans; absent: it listens on no port.',
  ),
  data_plane: optional(DataPlane, 'What relays.'),
  bans: optional(BansHealth, 'What is enforced.'),
  crowdsec: optional(FeedHealth, 'The threat feed; absent: not enabled.'),
});
export type Health = z.output<typeof Health>;

const ServiceStats = z.strictObject({
  active_connections: integer('Open connections.'),
  total_allowed: integer('Admitted connections since the start.'),
  total_blocked: integer('Refused connections since the start.'),
  bytes_in: number('Bytes from clients.'),
  bytes_out: number('Bytes to clients.'),
});

const TableFill = z.strictObject({
  entries: integer('Current entries.'),
  capacity: integer('Maximum entries.'),
});

const KernelBans = z.strictObject({
  mechanism: required(
    z.enum(['nftables', 'bpf', 'user_space']),
    'nftables: a table of the firewall; bpf: only an older tcp-guard; user_space: the daemon refuses after it has accepted.',
  ),
  reason: text('Why this mechanism is used.'),
  entries: integer('Addresses and networks that the kernel refuses.'),
  left_out: integer('Listed addresses and networks that are not in the kernel; the daemon refuses them.'),
  dropped_packets: optional(
    z.int(),
    'Packets that the kernel dropped since the start, at most five seconds ago; absent: an older tcp-guard.',
  ),
  exceptions: required(
    z.readonly(z.array(z.string())),
    'Services whose connections only the daemon refuses, each with the reason.',
  ),
});

const IntakeStats = z.strictObject({
  source: text('The file, unit or container.'),
  format: text('What its lines are.'),
  lines: integer('Lines since the source is followed.'),
  counted: integer('Failures that counted.'),
  ignored: integer('Lines that say nothing of a client, and what they say that does not count, such as a login.'),
  exempt: integer('Failures of addresses that are never banned.'),
  late: integer('Failures that were older than the window when they were read.'),
  unforwarded: integer('Lines of a trusted proxy without the address of its client.'),
  behind_bytes: integer('Bytes of its files that are not read yet.'),
});

export const Stats = z.strictObject({
  services: required(z.record(z.string(), ServiceStats), 'By name.'),
  tables: required(z.record(z.string(), TableFill), 'Bounded tables of the daemon, by name.'),
  data_plane: optional(DataPlane, 'What relays; absent: an older tcp-guard.'),
  kernel_bans: optional(
    KernelBans,
    'What refuses connections before the daemon accepts them; absent: an older tcp-guard.',
  ),
  intake: optional(z.array(IntakeStats), 'The sources of `intake`; absent: an older tcp-guard.'),
  uptime_seconds: integer('Whole seconds since the start.'),
});

export const Services = z.array(
  z.strictObject({
    name: text('Key in the configuration.'),
    protocol: text('The inspector.'),
    listen: text('Listening address.'),
    upstream: text('Address of the upstream.'),
    enabled: required(z.boolean(), 'Whether the daemon listens for it.'),
  }),
);

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
