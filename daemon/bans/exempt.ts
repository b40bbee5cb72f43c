/** Addresses that are never banned and whose failures do not count: `never_ban` and the addresses of this host. */
import { isDeepStrictEqual } from 'node:util';
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

const ownAddressesMs = 1000; // listing the addresses of a host with hundreds of interfaces takes a millisecond

/** The exempt addresses of now: `never_ban`, those that are exempt for a time, and the addresses of this host. */
export class CurrentExempt implements Exempt {
  #neverBan: readonly string[];
  #allowed: readonly string[] = [];
  #ownAddresses = ownAddresses();
  #ownReadAt = Number.NEGATIVE_INFINITY;
  #exempt: Exempt;

  constructor(neverBan: readonly string[]) {
    this.#neverBan = neverBan;
    this.#exempt = this.#create();
  }

  readonly has = (ip: string): boolean => this.#exempt.has(ip);
  readonly covers = (prefix: Prefix): boolean => this.#exempt.covers(prefix);
  readonly hasAnyIn = (prefix: Prefix): boolean => this.#exempt.hasAnyIn(prefix);

  #create(): Exempt {
    return createExempt([...this.#neverBan, ...this.#allowed], this.#ownAddresses);
  }

  /** Without those that are exempt for a time. */
  withoutAllowed(): Exempt {
    return createExempt(this.#neverBan, this.#ownAddresses);
  }

  /** Returns whether `never_ban` has changed. */
  configure(neverBan: readonly string[]): boolean {
    const isSame = isDeepStrictEqual(neverBan, this.#neverBan);
    this.#neverBan = neverBan;
    this.#ownAddresses = ownAddresses();
    this.#exempt = this.#create();
    return !isSame;
  }

  /** Sets the addresses and networks that are exempt for a time. */
  allow(networks: readonly string[]): void {
    this.#allowed = networks;
    this.#exempt = this.#create();
  }

  /** Reads the addresses of this host's interfaces again, at most once in `ownAddressesMs`. */
  refresh(now: number): void {
    if (Math.abs(now - this.#ownReadAt) < ownAddressesMs) return;
    this.#ownReadAt = now;
    try {
      const addresses = ownAddresses();
      if (isDeepStrictEqual(addresses, this.#ownAddresses)) return;
      this.#ownAddresses = addresses;
      this.#exempt = this.#create();
    } catch {
      // Listing the addresses needs a free descriptor. Without one, the previous addresses stay.
    }
  }
}
