/** Makes sorted ranges without overlaps of banned addresses and networks. */
import type { BannedRange } from '../../contract/policy/ban-list.ts';
import { bitsOf, compareWords, type Prefix } from '../address/prefix.ts';

/** A banned address or network. `until`: milliseconds since 1970; Infinity: permanently. */
export interface Banned {
  readonly prefix: Prefix;
  readonly until: number;
}

const wordBits = 32n;
const mappedMark = 0xffffn;
const ipv4Start = mappedMark << wordBits; // ::ffff:0:0/96

/** Values of `until` of networks that are not banned. */
const exempt = -1;
/** Networks of IPv6 also cover the form of IPv4 addresses in IPv6. They do not ban these. */
const reset = 0;
const allOfIpv4: Banned = { prefix: { family: 4, words: new Uint32Array(4), length: 0 }, until: reset };

function startOf({ family, words: [w0 = 0, w1 = 0, w2 = 0, w3 = 0] }: Prefix): bigint {
  if (family === 4) return ipv4Start | BigInt(w0);
  return (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << wordBits) | BigInt(w3);
}

const endOf = (start: bigint, { family, length }: Prefix): bigint =>
  start | ((1n << BigInt(bitsOf[family] - length)) - 1n);

/** The position of a network: before IPv4 (0), IPv4 (1) or behind it (2). */
function placeOf({ family, words: [w0 = 0, w1 = 0, w2 = 0] }: Prefix): number {
  if (family === 4) return 1;
  return w0 === 0 && w1 === 0 && w2 < Number(mappedMark) ? 0 : 2;
}

/** Outer networks first, and of equal networks the exempt one last: it is in force within the others. */
const compare = (a: Banned, b: Banned): number =>
  placeOf(a.prefix) - placeOf(b.prefix) ||
  compareWords(a.prefix.words, 0, b.prefix.words, 0) ||
  a.prefix.length - b.prefix.length ||
  b.until - a.until;

interface Open {
  readonly end: bigint;
  readonly until: number;
}

function untilWithin(outer: Open | undefined, { until }: Banned): number {
  if (outer?.until === exempt || until === exempt) return exempt;
  return until === reset ? reset : Math.max(outer?.until ?? reset, until);
}

/** Yields parts of the ranges in order. Networks contain each other or have no common address. */
function* parts(sorted: readonly Banned[]): Generator<{ start: bigint; end: bigint; until: number }> {
  const open: Open[] = [];
  let next = 0n; // the first address that is not in a yielded part
  for (const banned of sorted) {
    const start = startOf(banned.prefix);
    for (let inner = open.at(-1); inner && inner.end < start; inner = open.at(-1)) {
      yield { start: next, end: inner.end, until: inner.until };
      next = inner.end + 1n;
      open.pop();
    }
    const outer = open.at(-1);
    if (outer) yield { start: next, end: start - 1n, until: outer.until };
    open.push({ end: endOf(start, banned.prefix), until: untilWithin(outer, banned) });
    next = start;
  }
  for (let inner = open.pop(); inner; inner = open.pop()) {
    yield { start: next, end: inner.end, until: inner.until };
    next = inner.end + 1n;
  }
}

/**
 * Yields the ranges that are banned, sorted. Where bans overlap, the latest end wins. Addresses of `exemptPrefixes` are
 * in none. `latest`: bans end at this time, milliseconds since 1970.
 */
export function* bannedRanges(
  banned: readonly Banned[],
  exemptPrefixes: readonly Prefix[],
  latest: number,
): Generator<BannedRange> {
  const holes = exemptPrefixes.map((prefix) => ({ prefix, until: exempt }));
  let last: BannedRange | undefined;
  for (const part of parts([...banned, ...holes, allOfIpv4].sort(compare))) {
    if (part.until <= reset || part.start > part.end) continue;
    const until = Math.ceil(Math.min(part.until, latest) / 1000);
    if (last && last.end + 1n === part.start && last.until === until) last = { ...last, end: part.end };
    else {
      if (last) yield last;
      last = { ...part, until };
    }
  }
  if (last) yield last;
}
