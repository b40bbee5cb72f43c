/**
 * Keys of the maps. An address is its family and four words, in network byte order, as in address/prefix.ts: IPv4 and IPv6 share
 * the maps, and no IPv6 network covers an IPv4 address. The length of a prefix precedes its address, and the slot of a count follows it.
 */
import { bitsOf, type Prefix } from '../../address/prefix.ts';
import type { Block } from '../../process/libc/block.ts';

const familyBytes = 4;
const addressBytes = familyBytes + 16;

export const keyBytes = { address: addressBytes, prefix: 4 + addressBytes, count: addressBytes + 4 } as const;

/** Bits of the family, which are the first bits of a key: the kernel compares them like bits of the address. */
const familyBits = familyBytes * 8;

function writeAddress({ view }: Block, at: number, { family, words }: Prefix): void {
  view.setUint32(at, family, true);
  for (let index = 0; index < 4; index++) view.setUint32(at + familyBytes + 4 * index, words[index] as number);
}

/** Writes the key of an address in a hash map. */
export const writeAddressKey = (block: Block, at: number, prefix: Prefix): void => writeAddress(block, at, prefix);

/** Writes the key of an address or network in a trie (`struct bpf_lpm_trie_key`, linux/bpf.h). */
export function writePrefixKey(block: Block, at: number, prefix: Prefix): void {
  block.view.setUint32(at, familyBits + prefix.length, true);
  writeAddress(block, at + 4, prefix);
}

/** Reads a key of the maps that count packets. */
export function readCountKey({ view }: Block, at: number): { readonly prefix: Prefix; readonly slot: number } {
  const family = view.getUint32(at, true) === 4 ? 4 : 6;
  const words = Uint32Array.from({ length: 4 }, (_, index) => view.getUint32(at + familyBytes + 4 * index));
  return { prefix: { family, words, length: bitsOf[family] }, slot: view.getUint32(at + addressBytes, true) };
}
