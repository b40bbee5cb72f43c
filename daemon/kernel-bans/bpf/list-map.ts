import { bitsOf, type Prefix } from '../../address/prefix.ts';
import type { Libc } from '../../process/libc/libc.ts';
import { KernelMap } from './kernel.ts';
import { keyBytes, writeAddressKey, writePrefixKey } from './key.ts';

const endBytes = 8;

/** A list that can change: a hash map of addresses and a trie of networks. */
export class ListMap {
  readonly #addresses: KernelMap;
  readonly #networks: KernelMap;

  /** @throws the error of bpf(2) */
  constructor(libc: Libc, name: string, capacity: number) {
    const shape = { name, valueBytes: endBytes, capacity } as const;
    this.#addresses = new KernelMap(libc, { ...shape, kind: 'hash', keyBytes: keyBytes.address });
    this.#networks = new KernelMap(libc, { ...shape, kind: 'trie', keyBytes: keyBytes.prefix });
  }

  get descriptors(): { readonly addresses: number; readonly networks: number } {
    return { addresses: this.#addresses.fd, networks: this.#networks.fd };
  }

  #at(prefix: Prefix): KernelMap {
    if (prefix.length < bitsOf[prefix.family]) {
      writePrefixKey(this.#networks.key, 0, prefix);
      return this.#networks;
    }
    writeAddressKey(this.#addresses.key, 0, prefix);
    return this.#addresses;
  }

  /** Adds an entry. `end`: nanoseconds of the monotonic clock. Returns a negative error number when it fails. */
  add(prefix: Prefix, end: bigint): number {
    const map = this.#at(prefix);
    map.value.view.setBigUint64(0, end, true);
    return map.update();
  }

  /** Removes an entry. Returns a negative error number when it fails. */
  remove(prefix: Prefix): number {
    return this.#at(prefix).remove();
  }

  close(): void {
    this.#addresses.close();
    this.#networks.close();
  }
}

/** Creates a list that does not change. @throws the error of bpf(2) */
export function createFixedList(libc: Libc, name: string, prefixes: readonly Prefix[]): KernelMap {
  const capacity = Math.max(1, prefixes.length);
  const map = new KernelMap(libc, { name, kind: 'trie', keyBytes: keyBytes.prefix, valueBytes: 4, capacity });
  for (const prefix of prefixes) {
    writePrefixKey(map.key, 0, prefix);
    map.update();
  }
  return map;
}
