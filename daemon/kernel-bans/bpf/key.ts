/** Keys of the maps. An address is its family, and four words in network byte order. IPv4 and IPv6 share the maps. */
import { bitsOf, type Prefix } from '../../address/prefix.ts';
import type { Block } from '../../process/libc/block.ts';

const familyBytes = 4;
const addressBytes = familyBytes + 16;

export const keyBytes = { address: addressBytes, prefix: 4 + addressBytes, count: addressBytes + 4 } as const;

/** The number of bits of the family. A key starts with the family, and the kernel compares it as part of the prefix. */
const familyBits = familyBytes * 8;

/** Writes the key of an address in a hash map. */
export function writeAddressKey({ view }: Block, at: number, { family, words }: Prefix): void {
  view.setUint32(at, family, true);
  for (let index = 0; index < 4; index++) view.setUint32(at + familyBytes + 4 * index, words[index] as number);
}

/** Writes the key of an address or network in a trie (`struct bpf_lpm_trie_key`, linux/bpf.h). */
export function writePrefixKey(block: Block, at: number, prefix: Prefix): void {
  block.view.setUint32(at, familyBits + prefix.length, true);
  writeAddressKey(block, at + 4, prefix);
}

export function readCountKey({ view }: Block, at: number): { readonly prefix: Prefix; readonly slot: number } {
  const family = view.getUint32(at, true) === 4 ? 4 : 6;
  const words = Uint32Array.from({ length: 4 }, (_, index) => view.getUint32(at + familyBytes + 4 * index));
  return { prefix: { family, words, length: bitsOf[family] }, slot: view.getUint32(at + addressBytes, true) };
}
