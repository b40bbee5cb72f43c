/** For API tests: a daemon without a data plane, and requests as bytes. */
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type Daemon, daemonSchema } from '../../contract/daemon/schema.ts';
import { formatAddress, parseAddress } from '../../contract/values/address.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Ban, Bans } from '../bans/ban.ts';
import { createBans } from '../bans/index.ts';
import type { ApiBounds } from './bounds.ts';
import type { DaemonControl } from './daemon-control.ts';
import { type Api, startApi } from './index.ts';

/** Bans in memory, by address only. The tests of the store cover the store. */
export function memoryBans(now: () => number): Bans {
  const bans = new Map<string, Ban>();
  const canonical = (ip: string): string => {
    const address = parseAddress(ip);
    return address ? formatAddress(address) : ip;
  };
  return {
    covers: (ip) => bans.has(canonical(ip)),
    covering: (ip) => bans.get(canonical(ip)),
    add: async ({ ip, reason, origin, service = null, durationMs = 3_600_000 }) => {
      if (ip.startsWith('127.')) return { ok: false, refusal: 'never_ban' };
      const bannedAt = now();
      const expiresAt = durationMs === null ? null : bannedAt + durationMs;
      const ban: Ban = { ip: canonical(ip), reason, origin, service, bannedAt, expiresAt };
      bans.set(ban.ip, ban);
      return { ok: true, ban, isDurable: true };
    },
    remove: async (ip) => {
      const ban = bans.get(canonical(ip));
      bans.delete(canonical(ip));
      return ban && { ban, isDurable: true };
    },
    list: ({ limit, cursor, ip }) => {
      const all = [...bans.values()].toSorted((a, b) => (a.ip < b.ip ? -1 : 1));
      const left = all.filter((ban) => (ip ? ban.ip === ip : true) && (cursor ? ban.ip > cursor : true));
      const page = left.slice(0, limit);
      return { bans: page, cursor: left.length > limit ? page.at(-1)?.ip : undefined };
    },
    all: () => bans.values(),
    count: () => bans.size,
    watch: () => () => undefined,
    store: () => 'ok',
    problems: () => [],
    close: async () => true,
  };
}

export const startedAt = Date.UTC(2026, 0, 1);

export interface TestCore extends DaemonControl {
  readonly emit: (event: Partial<AuditEvent>) => void;
  readonly faults: string[];
}

export function event(some: Partial<AuditEvent>): AuditEvent {
  return {
    type: 'security_event',
    timestamp: new Date(startedAt).toISOString(),
    service: 'ssh',
    protocol: 'ssh',
    client_ip: '192.0.2.7',
    client_port: 40_000,
    country_code: '',
    action: 'blocked',
    reason: 'ban',
    bytes_in: 0,
    bytes_out: 0,
    duration_ms: 1,
    ...some,
  };
}

export function testCore(overrides: Partial<DaemonControl> = {}): TestCore {
  const listeners = new Set<(event: AuditEvent) => void>();
  const faults: string[] = [];
  const row = { active_connections: 1, total_allowed: 5, total_blocked: 2, bytes_in: 10, bytes_out: 20 };
  return {
    version: '0.1.0',
    startedAt,
    services: () => [{ name: 'ssh', protocol: 'ssh', listen: ':2222', upstream: '10.0.0.5:22', enabled: true }],
    recount: async () => undefined,
    stats: () => ({ ssh: row }),
    tables: () => ({ failures: { entries: 1, capacity: 100 } }),
    dataPlane: () => ({ name: 'net', reason: 'configured' }),
    kernelBans: () => ({
      mechanism: 'user_space',
      reason: 'bans.kernel is off',
      entries: 0,
      leftOut: 0,
      exceptions: [],
    }),
    problems: () => [],
    unattributedProbes: () => undefined,
    isServing: () => true,
    bans: memoryBans(Date.now),
    failures: { fail: ({ ip }) => ip === '192.0.2.99', size: () => 1 },
    audit: {
      record: () => undefined,
      fault: (message) => faults.push(message),
      reopen: () => undefined,
      follow: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      dropped: () => 0,
      problems: () => [],
      close: async () => undefined,
    },
    feed: undefined,
    reload: async () => ({ ok: true, changed: [], restart: [], problems: [] }),
    ...overrides,
    emit: (some) => {
      for (const listener of listeners) listener(event(some));
    },
    faults,
  };
}

export const testFolder = (): string => scratchFolder('guard-api-');

/** The daemon's bans, in a temporary folder unless one is given. */
export async function realBans(t: TestContext, dataDir = testFolder()): Promise<Bans> {
  const config = { ...testConfig({}), bans: { on_error: 'serve', kernel: 'off' } as const };
  const bans = await createBans({ config, dataDir, now: Date.now, stallMs: { write: 60_000, load: 60_000 } });
  t.after(() => bans.close());
  return bans;
}

export function testConfig(api: Partial<Daemon['api']>): Daemon {
  return daemonSchema().parse({ api: { listen: '127.0.0.1:0', ...api } });
}

export interface Running {
  readonly api: Api;
  readonly control: TestCore;
  /** The port of the TCP listener. */
  readonly port: number;
  readonly url: string;
}

export interface Settings {
  readonly api?: Partial<Daemon['api']>;
  readonly control?: Partial<DaemonControl>;
  readonly bounds?: Partial<ApiBounds>;
}

/** An API on a free port. */
export async function start(
  t: TestContext,
  { api: keys = {}, control: parts, bounds }: Settings = {},
): Promise<Running> {
  const control = testCore(parts);
  const api = await startApi({ config: testConfig(keys), control, bounds: { ...daemonBounds, ...bounds } });
  t.after(() => api.close());
  const port = Number(api.addresses[0]?.split(':').at(-1));
  return { api, control, port, url: `http://127.0.0.1:${port}` };
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** A connection that collects its responses. */
export interface Line {
  readonly socket: Socket;
  readonly text: () => string;
  /** Resolves when the received text satisfies `isEnough`, or the connection has ended. */
  readonly until: (isEnough: (text: string) => boolean) => Promise<string>;
  /** Resolves with everything received until the connection ends. */
  readonly ended: () => Promise<string>;
}

export function dial(t: TestContext, to: NetConnectOpts): Line {
  const socket = connect(to);
  t.after(() => socket.destroy());
  let text = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
    wake();
  });
  socket.on('error', wake).on('close', wake);
  const until = (isEnough: (text: string) => boolean) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (!isEnough(text) && !socket.closed && !socket.errored) return;
        waiting.delete(check);
        resolve(text);
      };
      waiting.add(check);
      check();
    });
  return { socket, text: () => text, until, ended: () => until(() => false) };
}

/** Sends bytes on a new connection. Resolves with everything received until the server ends it. */
export function exchange(t: TestContext, port: number, bytes: string): Promise<string> {
  const line = dial(t, { port, host: '127.0.0.1' });
  line.socket.write(bytes, 'latin1');
  return line.ended();
}
