/** A day of events, relative to its end. The seed is fixed, so each run has the same events. */
import { auditLine, blockLine } from '../../cli/report/testing/examples.ts';
import { createRandom, type Random } from '../../conformance/differential/random.ts';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';

export const now = Date.parse('2026-06-18T14:30:00Z');
const day = 1440;

interface Timed {
  /** Minutes from the event to the end of the day. */
  readonly ago: number;
  readonly line: (timestamp: string) => string;
}

/** Requests of a scanner, which the built-in rules block. */
interface Scan {
  readonly address: string;
  readonly gateways: readonly ('caddy' | 'traefik' | 'nginx')[];
  readonly rules: readonly string[];
  readonly requests: number;
  /** Minutes to the end of the day: at most the first number, at least the second. */
  readonly between: readonly [number, number];
}

const scans: readonly Scan[] = [
  {
    ...{ address: '198.51.100.23', gateways: ['caddy', 'traefik'], requests: 640, between: [420, 395] },
    rules: ['env-file', 'env-file', 'hidden-seg', 'cloud-cred', 'cfg-wp', 'key-ssh', 'sql-file', 'bak-ext'],
  },
  {
    ...{ address: '203.0.113.77', gateways: ['caddy'], requests: 410, between: [1210, 1120] },
    rules: ['mgmt-db', 'php-info', 'web-shell', 'exp-script', 'cfg-wp'],
  },
  {
    ...{ address: '2001:db8:4f::1a', gateways: ['traefik'], requests: 300, between: [760, 610] },
    rules: ['trav-dotdot', 'trav-enc', 'os-unix', 'os-proc'],
  },
  {
    ...{ address: '192.0.2.146', gateways: ['caddy', 'traefik', 'nginx'], requests: 520, between: [190, 20] },
    rules: ['env-file', 'hidden-seg', 'cfg-name', 'dev-manifest', 'infra-file', 'log-name'],
  },
];

const usualRules = [
  ...['env-file', 'env-file', 'env-file', 'hidden-seg', 'hidden-seg', 'cfg-wp', 'mgmt-db', 'php-info', 'mgmt-java'],
  ...['trav-enc', 'exp-device', 'sql-file', 'cfg-php', 'bak-ext', 'key-pem'],
];

const networks = ['192.0.2', '198.51.100', '203.0.113'];
const countries = ['CN', 'US', 'RU', 'NL', 'BR', 'VN', 'DE', 'IN', 'FR', 'SG'];

const pathsOf = (rule: string): readonly string[] =>
  builtInRules.find(({ id }) => id === rule)?.matches.filter((path) => path.startsWith('/')) ?? [];

function request(random: Random, rule: string, address: string, gateway: string): Timed['line'] {
  const path = random.pick(pathsOf(rule));
  const isAttempted = gateway === 'nginx';
  const mode = isAttempted ? 'detect' : 'enforce';
  return (timestamp) =>
    blockLine({
      ...{ type: isAttempted ? 'guard_detect' : 'guard_block', timestamp, gateway, mode, client_ip: address },
      ...{ path, request_uri: path, candidate: path, rule_id: rule },
    });
}

const randomMinute = (random: Random, [from, to]: readonly [number, number]): number =>
  to + (random.integer(100_000) / 100_000) * (from - to);

const scan = (random: Random, { address, gateways, rules, requests, between }: Scan): Timed[] =>
  Array.from({ length: requests }, () => ({
    ago: randomMinute(random, between),
    line: request(random, random.pick(rules), address, random.pick(gateways)),
  }));

const backgroundEvents = (random: Random): Timed[] =>
  Array.from({ length: 900 }, () => {
    const address = `${random.pick(networks)}.${1 + random.integer(60)}`;
    const gateway = random.pick(['caddy', 'caddy', 'traefik', 'nginx']);
    return { ago: randomMinute(random, [day, 0]), line: request(random, random.pick(usualRules), address, gateway) };
  });

/** Events of visitors who download an archive that the site offers. */
const visitors = (random: Random): Timed[] =>
  Array.from({ length: 46 }, (_, index) => {
    const facts = { path: '/downloads/site-backup.tar.gz', rule_id: 'archive-name', gateway: 'caddy' };
    const line = (timestamp: string) => blockLine({ ...facts, timestamp, client_ip: `198.51.100.${100 + index}` });
    return { ago: randomMinute(random, [900, 0]), line };
  });

/** Events of failed logins, of the ban, and of the connections that it refuses. */
function guesses(random: Random, address: string, service: string, ago: number): Timed[] {
  const country_code = random.pick(countries);
  const event = (minutes: number, action: string, reason: string): Timed => ({
    ago: ago - minutes,
    line: (timestamp) =>
      auditLine({ timestamp, service, protocol: service, client_ip: address, country_code, action, reason }),
  });
  const failures = Array.from({ length: 5 }, (_, index) => event(index / 5, 'auth_failure', 'auth_failure'));
  const refused = random.several(4, 40, () => event(1.2 + random.integer(3_600_000) / 60_000, 'blocked', 'ban'));
  return [...failures, event(1.1, 'banned', 'auth_failure'), ...refused].filter((one) => one.ago > 0);
}

function logins(random: Random): Timed[] {
  const scanners = scans.filter(({ address }) => !address.includes(':')).map(({ address }) => address);
  const others = random.several(26, 26, () => `${random.pick(networks)}.${1 + random.integer(60)}`);
  return [...scanners, ...others].flatMap((address) =>
    guesses(random, address, random.pick(['ssh', 'ssh', 'smtp', 'imap']), randomMinute(random, [day, 30])),
  );
}

/** Returns the lines of the events, the oldest first. */
export function exampleEvents(end: number): string[] {
  const random = createRandom(11);
  const events = [...scans.flatMap((one) => scan(random, one)), ...backgroundEvents(random)];
  return [...events, ...visitors(random), ...logins(random)]
    .toSorted((one, other) => other.ago - one.ago)
    .map(({ ago, line }) => line(new Date(end - Math.round(ago * 60_000)).toISOString()));
}
