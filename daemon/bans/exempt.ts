/** Addresses that are never banned and whose failures do not count: `never_ban` and the addresses of this host. */

import { bitsOf, covers, type Prefix, readAddress, readPrefix } from '../address/prefix.ts';
import { mostCoveringPrefixes, PrefixMap } from '../address/prefix-map.ts';
import { ownAddresses } from '../process/limits.ts';

export interface Exempt {
  /** Whether an address is exempt. Runs for each new connection that a ban covers. */
  readonly has: (ip: string) => boolean;
  /** Whether an address, or every address of a network, is exempt. */
  readonly covers: (prefix: Prefix) => boolean;
  /** Whether a network contains an exempt address or an exempt network. False for a single address. */
  readonly hasAnyIn: (prefix: Prefix) => boolean;
}

/** Skips entries that are neither addresses nor networks: the schema has already refused them in `never_ban`. */
export function createExempt(networks: readonly string[], own: readonly string[] = ownAddresses()): Exempt {
  const prefixes = [...networks, ...own].map(readPrefix).filter((prefix) => prefix !== undefined);
  const map = new PrefixMap();
  for (const prefix of prefixes) map.set(prefix, 0);
  const [addressWords, found] = [new Uint32Array(4), new Uint32Array(mostCoveringPrefixes)];
  return {
    has: (ip) => {
      const family = readAddress(ip, addressWords);
      return family !== 0 && map.covering(family, addressWords, mostCoveringPrefixes, found) > 0;
    },
    covers: ({ family, words, length }) => map.covering(family, words, length, found) > 0,
    hasAnyIn: (prefix) => prefix.length < bitsOf[prefix.family] && prefixes.some((other) => covers(prefix, other)),
  };
}
