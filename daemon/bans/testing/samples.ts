/** Generated bans for tests and benchmarks. A seed always gives the same bans. */

import { type Prefix, readPrefix } from '../../address/prefix.ts';
import type { BanRecord } from '../records.ts';

/** Returns a pseudorandom integer from 0 to `below` - 1. */
export type Numbers = (below: number) => number;

export function createNumbers(seed: number): Numbers {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function sampleRecord(ip: string, expiresAt: number, rememberedUntil = 0): BanRecord {
  return {
    prefix: readPrefix(ip) as Prefix,
    reason: `ssh: 5 failed logins in 60s`,
    service: 'ssh',
    origin: 'local',
    bannedAt: 1,
    expiresAt,
    level: 1,
    rememberedUntil,
  };
}

/** Yields different prefixes: about nine in ten are IPv4, and about one in twenty is a network. */
export function* sampleAddresses(count: number, seed = 1): Generator<string> {
  const below = createNumbers(seed);
  const seen = new Set<string>();
  while (seen.size < count) {
    const ip = below(10) > 0 ? sampleIpv4(below) : sampleIpv6(below);
    if (seen.has(ip)) continue;
    seen.add(ip);
    yield ip;
  }
}

function sampleIpv4(below: Numbers): string {
  const [a, b, c] = [128 + below(96), below(256), below(256)]; // without loopback addresses, which are never banned
  return below(20) > 0 ? `${a}.${b}.${c}.${below(256)}` : `${a}.${b}.${c}.0/24`;
}

function sampleIpv6(below: Numbers): string {
  const network = `2001:${[0, 1].map(() => (1 + below(65_535)).toString(16)).join(':')}`;
  return below(20) > 0 ? `${network}::${(1 + below(65_535)).toString(16)}` : `${network}::/48`;
}
