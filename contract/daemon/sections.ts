/** The sections of tcp-guard.yaml beside its services. */
import * as z from 'zod';
import { parseAddress } from '../address.ts';
import { filePath, hostPattern, refined, text, WebUrl } from '../fields.ts';
import * as fields from './fields.ts';

/** From the most to the least that is written to the audit file. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'off'] as const;

export const globalSection = () =>
  z.strictObject({
    log_level: z
      .enum(logLevels)
      .default('warn')
      .describe(
        'What the audit file gets: warn is authentication failures and blocks alone, error only faults of the daemon.',
      ),
    log_file: filePath().default('/var/log/guard/tcp-guard.jsonl').describe('Audit file, one JSON record a line.'),
    data_dir: filePath().default('/var/lib/guard').describe('Folder of the ban store.'),
    workers: z.int().min(0).max(64).default(1).describe('Processes that relay; 0: one per core.'),
    max_connections: fields
      .connections()
      .default(10_000)
      .describe('Connections at once; clamped to what the descriptor limit carries.'),
    max_connections_per_ip: fields.connectionsPerIp().default(0).describe('The same, per address; 0: no limit.'),
    ban_duration: fields.banDuration().default('1h').describe('How long a first ban lasts.'),
    ban_growth: z
      .number()
      .min(1)
      .max(100)
      .default(2)
      .describe('Each further ban lasts this much longer; 1: all the same.'),
    ban_memory: fields.duration('0s', '365d').default('7d').describe('How long an earlier ban counts for that.'),
    ban_after_failures: fields.failures().default(5).describe('Failures that ban; 0: none do.'),
    failure_window: fields.duration('1s', '1d').default('60s').describe('Time in which failures add up.'),
    never_ban: fields
      .networks()
      .default(['127.0.0.0/8', '::1/128'])
      .describe('Exempt from bans, feed, rates and failure counting; own addresses are added.'),
    ip_filter: fields.ipFilter().prefault({}).describe('Who may connect to any service.'),
    geo_block: fields.geoBlock().prefault({}).describe('From which countries; needs geoip_db.'),
    geoip_db: filePath(0).default('').describe('GeoIP database, mmdb.'),
  });

const longestSocket = 107; // sun_path of Linux, without its end
const tokenForm = /^(?:[\x21-\x7e]{16,512})?$/; // what an Authorization header carries, too long to guess

const apiHost = () =>
  refined(255, (host) => {
    const isAddress = parseAddress(host.replace(/^\[(.*)\]$/, '$1')) !== undefined;
    return isAddress || hostPattern.test(host) ? undefined : 'expected a host name or an address, without port';
  });

export const apiSection = () =>
  z.strictObject({
    listen: fields
      .listenOrNot()
      .default('127.0.0.1:9091')
      .describe('Where the management API listens; off loopback it needs auth_token. Empty: on the socket alone.'),
    socket: filePath(0, longestSocket).default('').describe('Unix socket of the API; empty: none.'),
    auth_token: text(512)
      .regex(tokenForm, { error: 'expected 16 or more printable characters without spaces' })
      .default('')
      .describe('Bearer token; when set it is required on every TCP listener.'),
    allowed_hosts: z
      .array(apiHost())
      .max(64)
      .default(['localhost', '127.0.0.1', '[::1]'])
      .describe('Host headers that are answered: others come from a page that a browser was lured to.'),
  });

export const threatfeedSection = () =>
  z.strictObject({
    enabled: z.boolean().default(false).describe('Decisions are polled and enforced.'),
    lapi_url: WebUrl.default('http://127.0.0.1:8080').describe('Local API of the decision service.'),
    api_key: text(512).default('').describe('Bouncer key; ${NAME} reads it from the environment.'),
    update_frequency: fields.duration('1s', '1h').default('10s').describe('Polling interval.'),
    fallback_action: z
      .enum(['ban', 'throttle', 'bypass'])
      .default('ban')
      .describe('What a matching decision does; bypass counts and logs only.'),
    throttle: z
      .strictObject({
        connections_per_minute: fields.perMinute().default(6).describe('Connections left to an address.'),
      })
      .prefault({})
      .describe('Used by fallback_action throttle.'),
    push: z.boolean().default(false).describe('Own bans are sent to the service as alerts.'),
    machine_id: text(255).default('').describe('Login for push.'),
    password: text(512).default('').describe('Password for push.'),
  });

export const intakeSection = () =>
  z.array(
    z.strictObject({
      file: filePath().describe('File that a gateway appends its security events to.'),
      after: fields.failures().min(1).default(5).describe('Events of one address that ban it.'),
      window: fields.duration('1s', '1d').default('60s').describe('Time in which they add up.'),
    }),
  );

export const portScanSection = () =>
  z.strictObject({
    listen: z.array(fields.listen()).max(1024).default([]).describe('Ports that only record who knocks.'),
    threshold: fields.failures().min(1).default(3).describe('Knocks of one address that count as a scan.'),
    window: fields.duration('1s', '1d').default('60s').describe('Time in which they add up.'),
  });
