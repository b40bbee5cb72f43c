/**
 * The tallies of many addresses, in bounded room. Whoever has many addresses to fail from could push out the count of one
 * that is really guessing: so addresses that failed once wait in a part of their own and are the first to go, and one that
 * failed again is only pushed out by others that did, oldest first. To lose a count of four, an attacker has to spend two
 * failures within the window on each of 75,000 addresses. IPv6 addresses are free: of one /64 only a few are counted apart,
 * and the others are one, the network.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isTranslated } from '../address/client.ts';
import { formatPrefix, masked, type Prefix, readPrefix } from '../address/prefix.ts';
import { AddressTally } from './tally.ts';

const networkBits = 64;

const networkOf = ({ words }: Prefix): string =>
  formatPrefix({ family: 6, words: words.map((word, index) => masked(word, index, networkBits)), length: networkBits });

/** The /64 of an IPv6 address; undefined: it is of IPv4, also behind a translator, and its neighbours are others. */
export function ownNetwork(ip: string): string | undefined {
  const prefix = readPrefix(ip);
  const isOne = prefix?.family === 6 && !isTranslated(prefix.words[0] as number);
  return isOne ? networkOf(prefix) : undefined;
}

export interface Bounds {
  readonly addresses: number;
  readonly perNetwork: number;
}

const defaults: Bounds = {
  addresses: daemonBounds.failureAddresses,
  perNetwork: daemonBounds.failureAddressesPerNetwork,
};

export class Tallies {
  /** Both in the order of their last failure. */
  readonly #once = new Map<string, AddressTally>();
  readonly #again = new Map<string, AddressTally>();
  /** How many addresses of a /64 are counted apart. */
  readonly #networks = new Map<string, number>();
  readonly #bounds: Bounds;

  constructor(bounds: Bounds = defaults) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#once.size + this.#again.size;
  }

  /** Whom a failure of `ip` is counted for: the address or its network, in canonical text. Undefined: it is no address. */
  keyOf(ip: string): string | undefined {
    const prefix = readPrefix(ip);
    if (!prefix) return undefined;
    const address = formatPrefix(prefix);
    if (prefix.family === 4 || isTranslated(prefix.words[0] as number) || this.#has(address)) return address;
    const network = networkOf(prefix);
    return (this.#networks.get(network) ?? 0) < this.#bounds.perNetwork ? address : network;
  }

  #has(key: string): boolean {
    return this.#once.has(key) || this.#again.has(key);
  }

  /** The tally of a key, which is the newest now; made when there is none. */
  of(key: string, now: number): AddressTally {
    const known = this.#once.get(key) ?? this.#again.get(key);
    if (!known) return this.#add(key, now);
    this.#once.delete(key);
    this.#again.delete(key);
    this.#again.set(key, known);
    return known;
  }

  #add(key: string, now: number): AddressTally {
    this.#forgetOver(this.#once, now);
    this.#forgetOver(this.#again, now);
    if (this.size >= this.#bounds.addresses) this.#evict();
    const tally = new AddressTally();
    this.#once.set(key, tally);
    this.#count(key, 1);
    return tally;
  }

  /** A quarter of the room stays for newcomers: they could not get to their second failure otherwise. */
  #evict(): void {
    const isCrowded = this.#again.size > this.#bounds.addresses * 0.75 || this.#once.size === 0;
    const [oldest] = (isCrowded ? this.#again : this.#once).keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  #forgetOver(tallies: Map<string, AddressTally>, now: number): void {
    for (const [key, { until }] of tallies) {
      if (until > now) return;
      this.delete(key);
    }
  }

  /** Keeps account of how many addresses of a network are counted apart. */
  #count(key: string, change: 1 | -1): void {
    if (!key.includes(':') || key.includes('/')) return;
    const network = networkOf(readPrefix(key) as Prefix);
    const count = (this.#networks.get(network) ?? 0) + change;
    if (count > 0) this.#networks.set(network, count);
    else this.#networks.delete(network);
  }

  delete(key: string): void {
    if (this.#once.delete(key) || this.#again.delete(key)) this.#count(key, -1);
  }
}
