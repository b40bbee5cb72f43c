/** Many networks, of which one may hold an address: one look per prefix length that occurs. */
import { type Address, type Network, parseNetwork } from '../../contract/address.ts';

export interface NetworkSet {
  readonly has: (address: Address) => boolean;
  readonly isEmpty: boolean;
}

type Lengths = Map<number, Set<bigint>>;
const widths = { 4: 32, 6: 128 } as const;

function add(lengths: Lengths, { length, prefix }: Network): void {
  const prefixes = lengths.get(length) ?? new Set();
  lengths.set(length, prefixes.add(prefix));
}

function holds(lengths: Lengths, value: bigint, width: number): boolean {
  for (const [length, prefixes] of lengths) if (prefixes.has(value >> BigInt(width - length))) return true;
  return false;
}

/** Entries that are no networks do not count: whoever reads the configuration has refused them. */
export function networkSet(entries: readonly string[]): NetworkSet {
  const families = { 4: new Map(), 6: new Map() } as Record<4 | 6, Lengths>;
  for (const entry of entries) {
    const network = parseNetwork(entry);
    if (network) add(families[network.family], network);
  }
  return {
    isEmpty: entries.length === 0,
    has: ({ family, value }) => holds(families[family], value, widths[family]),
  };
}
