/** The sections of tcp-guard.yaml except `services`. */
import * as z from 'zod/mini';
import { formed, hostPattern, refined, text } from '../schema/fields.ts';
import { defaulted, integer, list, nested } from '../schema/kinds.ts';
import { WebUrl } from '../schema/web-url.ts';
import { parseAddress } from '../values/address.ts';
import { policyModes } from '../values/policy-modes.ts';
import * as fields from './fields.ts';

/** Log levels, from the one with the most records to the one with the fewest. */
const logLevels = ['debug', 'info', 'warn', 'error', 'off'] as const;

/** Data planes that can relay. `linux` falls back to `net` where the system does not support it. */
export const planeNames = ['net', 'linux'] as const;
const dataPlanes = [...planeNames, 'auto'] as const;

const bans = () => ({
  ban_duration: defaulted(fields.banDuration(), '1h', 'How long a first ban lasts.'),
  ban_growth: defaulted(
    z.number().check(z.minimum(1), z.maximum(100)),
    2,
    'Factor for each further ban; 1: no growth.',
  ),
  ban_memory: defaulted(fields.duration('0s', '365d'), '7d', 'How long an earlier ban counts for ban_growth.'),
  ban_after_failures: defaulted(fields.failures(0), 5, 'Failures that ban an address; 0: failures do not ban.'),
  ban_site_factor: defaulted(
    integer(0, 1000),
    20,
    'An IPv6 /48 is banned at this many times the failures that ban an address, and at this many bans in it within ban_duration; 0: never.',
  ),
  failure_window: defaulted(fields.duration('1s', '1d'), '60s', 'Time window in which failures are counted.'),
  never_ban: defaulted(
    fields.networks(),
    ['127.0.0.0/8', '::1/128'],
    'Addresses exempt from bans, also of networks that contain them, the threat feed, the failure rate and failure counting; the addresses of this host are added.',
  ),
});

export const globalSection = () =>
  z.strictObject({
    log_level: defaulted(
      z.enum(logLevels),
      'warn',
      'What the audit file records: warn is only authentication failures and refusals, error only faults of the daemon.',
    ),
    log_file: defaulted(
      fields.hostPath(),
      '/var/log/guard/tcp-guard.jsonl',
      'Audit file with one JSON record per line.',
    ),
    data_dir: defaulted(fields.hostPath(), '/var/lib/guard', 'Folder of the ban store.'),
    workers: defaulted(
      integer(0, 64),
      1,
      'Processes that relay; 0: one per core. With more than one, or data_plane: auto, an additional process coordinates them.',
    ),
    data_plane: defaulted(
      z.enum(dataPlanes),
      'net',
      'What relays: net is node:net, linux is epoll and splice of Linux, auto is linux in a worker on the releases of Node that it was tested with.',
    ),
    drain: defaulted(
      fields.duration('0s', '1h'),
      '8s',
      'How long open connections have to end after SIGTERM. Container runtimes kill after 10 seconds, the systemd unit after 45.',
    ),
    max_connections: defaulted(
      fields.connections(),
      10_000,
      'Open connections; reduced to what the descriptor limit allows.',
    ),
    max_connections_per_ip: defaulted(
      fields.connectionsPerIp(),
      0,
      'Open connections of one address (IPv6: of one /64); 0: no limit.',
    ),
    ...bans(),
    ip_filter: nested(fields.ipFilter(), 'Addresses that may connect, for all services.'),
    geo_block: nested(fields.geoBlock(), 'Countries that may connect, for all services; needs geoip_db.'),
    geoip_db: defaulted(fields.hostPath(0), '', 'GeoIP database in mmdb format; empty: none.'),
  });

/** `bpf` is `auto`: see `daemonWarnings`. */
const kernelBans = z.enum(['auto', 'nftables', 'off', 'bpf'], {
  error: ({ input }) => (input === 'nft' ? 'it is called nftables now' : undefined),
});

const onStoreErrors = ['refuse', 'serve'] as const;

export const bansSection = () =>
  z.strictObject({
    mode: defaulted(
      z.enum(policyModes),
      'enforce',
      'enforce: addresses with too many failures are banned. detect: these bans are only listed and recorded; bans through the API and decisions of the threat feed are in force.',
    ),
    on_error: defaulted(
      z.enum(onStoreErrors),
      'refuse',
      'When the stored bans cannot be read at the start: refuse does not start, serve enforces only new bans until they can. ' +
        'A damaged store is replaced in both cases.',
    ),
    kernel: defaulted(
      kernelBans,
      'auto',
      'Whether the firewall of Linux drops packets of banned addresses, so that a flood of them costs the daemon nothing. ' +
        'auto and nftables need nft and CAP_NET_ADMIN; nftables reports a problem without them. ' +
        'off: only the daemon refuses connections. bpf is auto, for older files.',
    ),
    scope: defaulted(
      z.enum(['services', 'host']),
      'services',
      'Where bans hold: at the listeners of this daemon, or on every port of the host and of its containers. host needs nft and CAP_NET_ADMIN.',
    ),
    publish: defaulted(
      fields.hostPath(0),
      '',
      'File to which banned addresses are written for the guards in proxies, whose policy names it as banList; empty: none.',
    ),
    ban_private: defaulted(
      z.boolean(),
      false,
      'Whether lines of the logs of servers ban private, link-local and shared addresses. Rootless containers and Docker Desktop give every client one of them.',
    ),
  });

const longestSocket = 107; // sun_path of Linux without its NUL
/** The characters that an Authorization header allows. The length makes guessing infeasible. */
const tokenForm = /^(?:[\x21-\x7e]{16,512})?$/;
/** Does not quote the found value, because it is a secret and messages are logged. */
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
      'Address of the management API; other than loopback it needs auth_token. Empty: only the socket.',
    ),
    socket: defaulted(fields.hostPath(0, longestSocket), '', 'Unix socket of the API; empty: none.'),
    auth_token: defaulted(
      formed(tokenForm, tokenExpected, 512),
      '',
      'Bearer token; when set, required on every TCP listener.',
    ),
    allowed_hosts: defaulted(
      list(apiHost(), 64),
      ['localhost', '127.0.0.1', '[::1]'],
      'Accepted Host headers; others can come from a web page that attacks through a browser (DNS rebinding).',
    ),
  });

const throttle = () =>
  z.strictObject({
    connections_per_minute: defaulted(
      fields.perMinute(),
      6,
      'New connections of an address with a decision (IPv6: of one /64).',
    ),
  });

export const threatfeedSection = () =>
  z.strictObject({
    enabled: defaulted(z.boolean(), false, 'Whether decisions are polled and enforced.'),
    lapi_url: defaulted(WebUrl, 'http://127.0.0.1:8080', 'URL of the CrowdSec local API.'),
    api_key: defaulted(text(512), '', 'Bouncer key; ${NAME} reads it from the environment.'),
    update_frequency: defaulted(fields.duration('1s', '1h'), '10s', 'Polling interval.'),
    fallback_action: defaulted(
      z.enum(['ban', 'throttle', 'bypass']),
      'ban',
      'What a matching decision does; bypass only counts and logs.',
    ),
    throttle: nested(throttle(), 'Settings of fallback_action throttle.'),
    push: defaulted(z.boolean(), false, 'Whether bans of this daemon are sent to the local API as alerts.'),
    machine_id: defaulted(text(255), '', 'Login for push.'),
    password: defaulted(text(512), '', 'Password for push.'),
  });

export const portScanSection = () =>
  z.strictObject({
    listen: defaulted(list(fields.listen(), 1024), [], 'Addresses and ports that only record probes.'),
    threshold: defaulted(fields.failures(1), 3, 'Probes that ban an address.'),
    window: defaulted(fields.duration('1s', '1d'), '60s', 'Time window in which they are counted.'),
  });
