/** The ban list of generated requests, and requests of clients that it often contains. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BannedRange, rangeLines } from '../../contract/policy/ban-list.ts';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { formatAddress } from '../../contract/values/address.ts';
import { allPresets } from '../../contract/values/presets.ts';
import { banListFile } from '../../engine/ban-list-file.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { forwardedText, randomAddress, randomNetwork, usedStarts } from './clients.ts';
import { type Question, toBase64 } from './protocol.ts';
import type { Random } from './random.ts';

const mapped = 0xffffn << 32n;
const hourSeconds = 3600;
const [mostRanges, longestRange] = [30, 24];

/** Returns ranges among the used addresses of each network, sorted and disjoint. One in four has ended. */
function randomRanges(random: Random, now: number): BannedRange[] {
  const starts = [...new Set(usedStarts.map(({ family, value }) => (family === 4 ? mapped | value : value)))];
  const ranges = starts.flatMap((start) =>
    random.several(1, mostRanges, (): BannedRange => {
      const first = start + BigInt(random.integer(256));
      const until = now + (random.oneIn(4) ? -hourSeconds : hourSeconds);
      return { start: first, end: first + BigInt(random.oneIn(2) ? 0 : random.integer(longestRange)), until };
    }),
  );
  ranges.sort((one, other) => (one.start < other.start ? -1 : Number(one.start > other.start)));
  let last = -1n;
  return ranges.filter(({ start, end }) => {
    const isDisjoint = start > last;
    if (isDisjoint) last = end;
    return isDisjoint;
  });
}

export function generatedBans(random: Random): Buffer {
  const now = Math.floor(Date.now() / 1000);
  return banListFile(randomRanges(random, now).map(rangeLines), now);
}

/** Writes the file to a new folder, which the container of the Lua engine has too, and returns its path. */
export function writeGeneratedBans(random: Random): string {
  const file = join(scratchFolder('guard-bans-', cacheFolder()), 'bans');
  writeFileSync(file, generatedBans(random));
  return file;
}

const presetNames = allPresets().flatMap(({ name, networks }) => (networks[0] ? [name] : []));

/** Mostly trusts this machine, from which requests on the wire come. */
const randomProxies = (random: Random): string[] => [
  ...(random.oneIn(4) ? [] : ['private']),
  ...random.several(0, 4, () => randomNetwork(random, presetNames)),
];

/** Returns policies with the ban list at a path, whose proxies and allowed clients are random. */
export const banPolicies = (random: Random, count: number, file: string): PolicyFile[] =>
  Array.from({ length: count }, () => ({
    banList: { file },
    trustedProxies: randomProxies(random),
    ...(random.oneIn(3) && { allowedIps: random.several(1, 3, () => randomNetwork(random, ['private'])) }),
    ...(random.oneIn(4) && { methods: ['POST'] }),
    ...(random.oneIn(6) && { allowPatterns: ['^/'] }),
  }));

const methods = ['GET', 'GET', 'GET', 'POST', 'PUT'];
const targets = ['/', '/', '/', '/.env', '/blog?page=2'];
const peerTexts = ['', 'unix', '127.0.0.1', '10.0.0.2', '172.17.0.1', '::1', '::ffff:10.0.0.3'];

/** Yields requests whose verdict mostly depends on the ban list. */
export function* banStream(random: Random, count: number, policyCount: number): Generator<Question> {
  for (let left = count; left > 0; left -= 1) {
    const line = () => random.several(1, 4, () => forwardedText(random)).join(random.pick([',', ', ']));
    const forwarded = random.several(0, 2, line);
    yield {
      ...{ q: random.integer(policyCount), t: toBase64(random.pick(targets)), m: random.pick(methods) },
      h: forwarded.map((text) => ['X-Forwarded-For', toBase64(text)] as const),
      ip: random.oneIn(3) ? formatAddress(randomAddress(random)) : random.pick(peerTexts),
    };
  }
}
