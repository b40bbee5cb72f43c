/**
 * Addresses that are never banned and whose failures do not count: `never_ban` and the addresses of this host. A ban of a network
 * that contains some of them is in force for the other addresses.
 */

import { bitsOf, covers, type Prefix, readAddress, readPrefix } from '../address/prefix.ts';
import { mostCovering, PrefixMap } from '../address/prefix-map.ts';
import { ownAddresses } from '../process/limits.ts';

export interface Exempt {
  /** Whether an address is exempt. Each new connection calls it. */
  readonly has: (ip: string) => boolean;
  /** Whether an address, or every address of a network, is exempt. */
  readonly covers: (prefix: Prefix) => boolean;
  /** Whether a network also contains addresses that are exempt. */
  readonly existsIn: (prefix: Prefix) => boolean;
}

/** `networks`: `never_ban`. Skips entries that are not networks: the schema has refused them. */
export function exempt(networks: readonly string[], own: readonly string[] = ownAddresses()): Exempt {
  const prefixes = [...networks, ...own].map(readPrefix).filter((prefix) => prefix !== undefined);
  const map = new PrefixMap();
  for (const prefix of prefixes) map.set(prefix, 0);
  const [asked, found] = [new Uint32Array(4), new Uint32Array(mostCovering)];
  return {
    has: (ip) => {
      const family = readAddress(ip, asked);
      return family !== 0 && map.covering(family, asked, mostCovering, found) > 0;
    },
    covers: ({ family, words, length }) => map.covering(family, words, length, found) > 0,
    existsIn: (prefix) => prefix.length < bitsOf[prefix.family] && prefixes.some((other) => covers(prefix, other)),
  };
}
