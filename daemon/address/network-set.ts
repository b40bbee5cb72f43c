/** A set of networks, queried by address. */
import type { Address } from '../../contract/values/address.ts';
import { bitsOf, readPrefix } from './prefix.ts';
import { mostCoveringPrefixes, PrefixMap } from './prefix-map.ts';

export interface NetworkSet {
  readonly has: (address: Address) => boolean;
  readonly isEmpty: boolean;
}

const wordBits = 32;
const [words, found] = [new Uint32Array(4), new Uint32Array(mostCoveringPrefixes)];

/** Writes an address to `words`. An IPv4 address uses the first word. */
function writeWords({ family, value }: Address): void {
  if (family === 4) words[0] = Number(value);
  else
    for (let index = 0; index < 4; index++)
      words[index] = Number(BigInt.asUintN(wordBits, value >> BigInt(wordBits * (3 - index))));
}

/** Skips entries that are neither addresses nor networks: the schema has already refused them in configurations. */
export function createNetworkSet(entries: readonly string[]): NetworkSet {
  const networks = new PrefixMap();
  for (const entry of entries) {
    const prefix = readPrefix(entry);
    if (prefix) networks.set(prefix, 0);
  }
  return {
    isEmpty: entries.length === 0,
    has: (address) => {
      writeWords(address);
      return networks.covering(address.family, words, bitsOf[address.family], found) > 0;
    },
  };
}
