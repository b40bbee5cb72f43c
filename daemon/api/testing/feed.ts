/** For API tests: threat feeds whose decisions do not change. */
import assert from 'node:assert/strict';
import { readPrefix } from '../../address/prefix.ts';
import type { Decision, ThreatFeed } from '../../feed/feed.ts';
import { Holdings } from '../../feed/holdings.ts';
import { startedAt } from './core.ts';

export const decision: Decision = {
  ip: '198.51.100.0/24',
  type: 'ban',
  origin: 'CAPI',
  scenario: 'crowdsecurity/ssh-bf',
  expiresAt: Date.now() + 60_000,
};

export const feed: ThreatFeed = {
  covering: () => undefined,
  coveringAll: () => [],
  state: () => ({ status: 'healthy', decisions: 1, updateFrequency: 10, lastSuccess: startedAt, lastError: null }),
  problems: () => [],
  list: () => ({ decisions: [decision], cursor: undefined }),
  account: () => undefined,
  close: async () => undefined,
};

/** A feed with these decisions. */
export async function feedOf(...decisions: readonly Decision[]): Promise<ThreatFeed> {
  const holdings = new Holdings(Date.now);
  const keyed = decisions.map((decision) => {
    const prefix = readPrefix(decision.ip);
    assert.ok(prefix);
    const key = `${decision.ip} ${decision.type}`;
    return [key, { key, prefix, ip: decision.ip, decision }] as const;
  });
  await holdings.merge({ fresh: new Map(keyed), deleted: new Set() });
  return {
    ...feed,
    covering: (ip) => holdings.covering(ip),
    coveringAll: (prefix) => holdings.coveringAll(prefix),
  };
}
