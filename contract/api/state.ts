/** Response bodies of the management API about the state of the daemon: /health, /stats and /services. */
import * as z from 'zod/mini';
import { planeNames } from '../daemon/sections.ts';
import { optional, required } from '../schema/kinds.ts';
import { integer, number, text, textOrNull } from './fields.ts';

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
    'Packets that the kernel dropped since the start, read at most once a second; absent: an older tcp-guard.',
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
