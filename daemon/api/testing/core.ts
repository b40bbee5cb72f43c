/** For API tests: a daemon without a data plane. */
import { formatAddress, parseAddress } from '../../../contract/values/address.ts';
import type { AuditEvent } from '../../audit/event.ts';
import type { Ban, Bans } from '../../bans/ban.ts';
import type { DaemonControl } from '../daemon-control.ts';

/** Bans in memory, by address only. The store has separate tests. */
export function memoryBans(now: () => number): Bans {
  const bans = new Map<string, Ban>();
  const canonical = (ip: string): string => {
    const address = parseAddress(ip);
    return address ? formatAddress(address) : ip;
  };
  return {
    covers: (ip) => bans.has(canonical(ip)),
    hasExactly: (ip) => bans.has(canonical(ip)),
    isExempt: () => false,
    covering: (ip) => bans.get(canonical(ip)),
    detected: () => undefined,
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
    clear: async () => {
      const count = bans.size;
      bans.clear();
      return { count, isDurable: true };
    },
    list: ({ limit, cursor, ip }) => {
      const all = [...bans.values()].toSorted((a, b) => (a.ip < b.ip ? -1 : 1));
      const left = all.filter((ban) => (ip ? ban.ip === ip : true) && (cursor ? ban.ip > cursor : true));
      const page = left.slice(0, limit);
      return { bans: page, cursor: left.length > limit ? page.at(-1)?.ip : undefined };
    },
    all: () => bans.values(),
    count: () => bans.size,
    detectedCount: () => 0,
    watch: () => () => undefined,
    watchAll: () => () => undefined,
    spares: () => false,
    checkClock: () => undefined,
    refusesEdge: () => false,
    sparedEdges: () => 0,
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

export function eventWith(some: Partial<AuditEvent>): AuditEvent {
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
    refreshCounts: async () => undefined,
    stats: () => ({ ssh: row }),
    tables: () => ({ failures: { entries: 1, capacity: 100 } }),
    dataPlane: () => ({ name: 'net', reason: 'configured' }),
    kernelBans: () => ({
      mechanism: 'user_space',
      reason: 'bans.kernel is off',
      entries: 0,
      leftOut: 0,
      dropped: 0,
      exceptions: [],
    }),
    packetsOf: async () => [],
    intake: () => [],
    problems: () => [],
    unattributedProbes: () => undefined,
    isServing: () => true,
    bans: memoryBans(Date.now),
    lists: () => [],
    listsCovering: () => [],
    countryOf: () => '',
    exemptions: {
      list: () => [],
      add: async () => ({ ok: false, refusal: 'bad_address' }),
      remove: async () => undefined,
    },
    failures: { fail: ({ ip }) => ip === '192.0.2.99', size: () => 1 },
    audit: {
      record: () => undefined,
      fault: (message) => faults.push(message),
      reopen: () => undefined,
      follow: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      lost: () => undefined,
      dropped: () => 0,
      problems: () => [],
      close: async () => undefined,
    },
    feed: undefined,
    sshClients: () => [],
    reload: async () => ({ ok: true, changed: [], restart: [], problems: [] }),
    ...overrides,
    emit: (some) => {
      for (const listener of listeners) listener(eventWith(some));
    },
    faults,
  };
}
