/** Event lines of the real tcp-guard and gateways. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { AuditEvent } from '../../daemon/audit/event.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { get, startCaddy } from '../caddy/process.ts';
import { startGuarded } from '../nginx/lua/guarded.ts';
import { freePort, freePorts } from '../support/guardcli.ts';
import { startGuard } from '../tcp-guard/process.ts';
import { playClient, recordedPieces, startRecorded } from '../tcp-guard/recorded-session.ts';
import { routeWithGuards, startTraefik } from '../traefik/process.ts';

export interface GatewayLine extends Readonly<Record<string, string | number>> {
  readonly type: 'guard_block' | 'guard_detect';
  readonly timestamp: string;
  readonly client_ip: string;
}
export type Line = AuditEvent | GatewayLine;

/** Recorded conversations, and the events that tcp-guard writes for them. */
const sessions = {
  ssh: { file: 'ssh-openssh.json', description: 'wrong password', reason: 'probable_failed_login' },
  imap: { file: 'imap-dovecot.json', description: 'curl logs in with a wrong password', reason: 'failed_login' },
  smtp: { file: 'smtp-postfix.json', description: 'curl logs in with a wrong password', reason: 'failed_login' },
  domain: { file: 'smtp-postfix.json', description: 'curl logs in and sends a mail', reason: 'sender_domain' },
} as const;
type Recorded = keyof typeof sessions;
export type AuditName = Recorded | 'port_scan' | 'ban' | 'banned';

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

function temporaryFile(name: string): string {
  const folder = scratchFolder('guard-lines-');
  return join(folder, name);
}

/** Connects to a port, and resolves when the server closes the connection. */
const probe = (port: number, localAddress: string): Promise<void> =>
  new Promise((resolve) => {
    connect({ host: '127.0.0.1', port, localAddress })
      .on('error', () => undefined)
      .on('close', () => resolve());
  });

/** Returns one line of tcp-guard for each kind of event. */
export async function auditLines(t: TestContext): Promise<Record<AuditName, string>> {
  const file = temporaryFile('audit.jsonl');
  const names = Object.keys(sessions) as Recorded[];
  const ports = await freePorts(names.length + 1);
  const pieces = names.map((name) => recordedPieces(sessions[name].file, sessions[name].description));
  const services = names.map(async (name, index) => [
    name,
    {
      listen: `127.0.0.1:${ports[index]}`,
      upstream: `127.0.0.1:${await startRecorded(t, pieces[index] ?? [])}`,
      protocol: name === 'domain' ? 'smtp' : name,
      ...(name === 'domain' && { smtp: { deny_domains: ['shop.example'] } }),
    },
  ]);
  const closed = ports.at(-1) as number;
  const config = {
    services: Object.fromEntries(await Promise.all(services)),
    port_scan: { listen: [`127.0.0.1:${closed}`] },
  };
  const guard = await startGuard(t, config, { never_ban: [], log_file: file });
  for (const index of names.keys())
    await playClient(ports[index] as number, `127.0.0.${index + 10}`, pieces[index] ?? []);
  await probe(closed, '127.0.0.30');
  await guard.ask('POST', '/ban', { ip: '127.0.0.40', reason: 'test' });
  await probe(ports[0] as number, '127.0.0.40');
  const wanted: Record<AuditName, string> = {
    ...(Object.fromEntries(names.map((name) => [name, sessions[name].reason])) as Record<Recorded, string>),
    port_scan: 'port_scan',
    ban: 'ban',
    banned: 'test',
  };
  const find = (name: AuditName) =>
    linesOf(file).find((line) => {
      const { service, reason } = JSON.parse(line) as AuditEvent;
      return reason === wanted[name] && (!(name in sessions) || service === name);
    });
  const all = Object.keys(wanted) as AuditName[];
  await until(async () => all.every((name) => find(name) !== undefined), 'every line of tcp-guard');
  return Object.fromEntries(all.map((name) => [name, find(name)])) as Record<AuditName, string>;
}

/** Targets that the default policy blocks, each by a different rule. */
export const scannedTargets = [
  '/.env',
  '/.git/config',
  '/a/../etc/passwd',
  '/backup.sql',
  '/wp-config.php.bak',
  '/.aws/credentials',
];

export type GatewayName = 'caddy' | 'traefik' | 'nginx';
/** Address of a client behind a trusted proxy. */
const clientBehindProxy = '2001:db8::99';
const trustedProxies = ['127.0.0.0/8'];
const hostileForwardedHeaders = {
  'X-Forwarded-For': clientBehindProxy,
  'User-Agent': '{{.x}} |= "y" \\u001b[31m \u00ff',
};

/** Functions that start a gateway. They return its port and the path of its event file. */
const gatewayStarters: Record<
  GatewayName,
  (t: TestContext, mode: string) => Promise<{ port: number; events: string }>
> = {
  caddy: (t, mode) => startCaddy(t, { guard: `trusted_proxies ${trustedProxies.join(' ')}\n\t\tmode ${mode}` }),
  traefik: async (t, mode) => {
    const events = temporaryFile('events.jsonl');
    const policy = { securityLogFile: events, trustedProxies: trustedProxies, mode };
    const backend = await freePort(); // no program listens there: allowed requests get 502
    const { port } = await startTraefik(t, routeWithGuards(`http://127.0.0.1:${backend}`, { guard: policy }));
    await until(
      () =>
        get(port, '/').then(
          (status) => status === 502,
          () => false,
        ),
      'Traefik to serve',
    );
    return { port, events };
  },
  nginx: async (t, mode) => {
    const { port, folder } = await startGuarded(t, { policies: { default: { trustedProxies: trustedProxies, mode } } });
    return { port, events: join(folder, 'events.jsonl') };
  },
};

export async function gatewayLines(t: TestContext, name: GatewayName, mode = 'enforce'): Promise<string[]> {
  const { port, events } = await gatewayStarters[name](t, mode);
  for (const path of scannedTargets) await get(port, path, { headers: hostileForwardedHeaders });
  await until(async () => linesOf(events).length >= scannedTargets.length, `the events of ${name}`);
  return linesOf(events);
}

export const lineOf = (text: string, client_ip: string, at: number, more: object = {}): Line => ({
  ...(JSON.parse(text) as Line),
  client_ip,
  timestamp: new Date(at).toISOString(),
  ...more,
});
