/** The sections of tcp-guard.yaml beside its services. */
import * as z from 'zod/mini';
import { filePath, formed, hostPattern, refined, text } from '../schema/fields.ts';
import { defaulted, integer, list, nested, required } from '../schema/kinds.ts';
import { parseAddress } from '../values/address.ts';
import { WebUrl } from '../values/web-url.ts';
import * as fields from './fields.ts';

/** From the most to the least that is written to the audit file. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'off'] as const;

const bans = () => ({
  ban_duration: defaulted(fields.banDuration(), '1h', 'How long a first ban lasts.'),
  ban_growth: defaulted(
    z.number().check(z.minimum(1), z.maximum(100)),
    2,
    'Each further ban lasts this much longer; 1: all the same.',
  ),
  ban_memory: defaulted(fields.duration('0s', '365d'), '7d', 'How long an earlier ban counts for that.'),
  ban_after_failures: defaulted(fields.failures(0), 5, 'Failures that ban; 0: none do.'),
  failure_window: defaulted(fields.duration('1s', '1d'), '60s', 'Time in which failures add up.'),
  never_ban: defaulted(
    fields.networks(),
    ['127.0.0.0/8', '::1/128'],
    'Exempt from bans, feed, rates and failure counting; own addresses are added.',
  ),
});

export const globalSection = () =>
  z.strictObject({
    log_level: defaulted(
      z.enum(logLevels),
      'warn',
      'What the audit file gets: warn is authentication failures and blocks alone, error only faults of the daemon.',
    ),
    log_file: defaulted(filePath(), '/var/log/guard/tcp-guard.jsonl', 'Audit file, one JSON record a line.'),
    data_dir: defaulted(filePath(), '/var/lib/guard', 'Folder of the ban store.'),
    workers: defaulted(
      integer(0, 64),
      1,
      'Processes that relay, 0: one per core; with several, one more decides and keeps what they share.',
    ),
    max_connections: defaulted(
      fields.connections(),
      10_000,
      'Connections at once; clamped to what the descriptor limit carries.',
    ),
    max_connections_per_ip: defaulted(fields.connectionsPerIp(), 0, 'The same, per address; 0: no limit.'),
    ...bans(),
    ip_filter: nested(fields.ipFilter(), 'Who may connect to any service.'),
    geo_block: nested(fields.geoBlock(), 'From which countries; needs geoip_db.'),
    geoip_db: defaulted(filePath(0), '', 'GeoIP database, mmdb.'),
  });

const longestSocket = 107; // sun_path of Linux, without its end
const tokenForm = /^(?:[\x21-\x7e]{16,512})?$/; // what an Authorization header carries, too long to guess
/** Reports that something was found and never its value: messages end up in logs. */
const tokenExpected = '16 or more printable characters without spaces, found others';

const apiHost = () =>
  refined(255, (host) => {
    const isAddress = parseAddress(host.replace(/^\[(.*)\]$/, '$1')) !== undefined;
    return isAddress || hostPattern.test(host) ? undefined : 'expected a host name or an address, without port';
  });

export const apiSection = () =>
  z.strictObject({
    listen: defaulted(
      fields.listenOrNot(),
      '127.0.0.1:9091',
      'Where the management API listens; off loopback it needs auth_token. Empty: on the socket alone.',
    ),
    socket: defaulted(filePath(0, longestSocket), '', 'Unix socket of the API; empty: none.'),
    auth_token: defaulted(
      formed(tokenForm, tokenExpected, 512),
      '',
      'Bearer token; when set it is required on every TCP listener.',
    ),
    allowed_hosts: defaulted(
      list(apiHost(), 64),
      ['localhost', '127.0.0.1', '[::1]'],
      'Host headers that are answered: others come from a page that a browser was lured to.',
    ),
  });

const throttle = () =>
  z.strictObject({
    connections_per_minute: defaulted(fields.perMinute(), 6, 'Connections left to an address.'),
  });

export const threatfeedSection = () =>
  z.strictObject({
    enabled: defaulted(z.boolean(), false, 'Decisions are polled and enforced.'),
    lapi_url: defaulted(WebUrl, 'http://127.0.0.1:8080', 'Local API of the decision service.'),
    api_key: defaulted(text(512), '', 'Bouncer key; ${NAME} reads it from the environment.'),
    update_frequency: defaulted(fields.duration('1s', '1h'), '10s', 'Polling interval.'),
    fallback_action: defaulted(
      z.enum(['ban', 'throttle', 'bypass']),
      'ban',
      'What a matching decision does; bypass counts and logs only.',
    ),
    throttle: nested(throttle(), 'Used by fallback_action throttle.'),
    push: defaulted(z.boolean(), false, 'Own bans are sent to the service as alerts.'),
    machine_id: defaulted(text(255), '', 'Login for push.'),
    password: defaulted(text(512), '', 'Password for push.'),
  });

const mostFiles = 64; // each is followed all the time

export const intakeSection = () => {
  const source = z.strictObject({
    file: required(filePath(), 'File that a gateway appends its security events to.'),
    after: defaulted(fields.failures(1), 5, 'Events of one address that ban it.'),
    window: defaulted(fields.duration('1s', '1d'), '60s', 'Time in which they add up.'),
  });
  return list(source, mostFiles);
};

export const portScanSection = () =>
  z.strictObject({
    listen: defaulted(list(fields.listen(), 1024), [], 'Ports that only record probes.'),
    threshold: defaulted(fields.failures(1), 3, 'Probes of one address that count as a scan.'),
    window: defaulted(fields.duration('1s', '1d'), '60s', 'Time in which they add up.'),
  });
