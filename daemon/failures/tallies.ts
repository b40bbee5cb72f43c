/**
 * The tallies of many addresses, in bounded memory. Addresses that failed once are evicted first: an attacker with many
 * addresses must not evict the tally of an address that keeps guessing. To evict a count of four, two failures on each
 * of 75,000 addresses are needed. IPv6 addresses cost nothing, so only a few of each /64 are counted separately.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isTranslated } from '../address/client.ts';
import { formatPrefix, maskedWord, type Prefix, readPrefix } from '../address/prefix.ts';
import { AddressTally } from './tally.ts';

const networkBits = 64;

const networkOf = ({ words }: Prefix, length = networkBits): string =>
  formatPrefix({ family: 6, words: words.map((word, index) => maskedWord(word, index, length)), length });

/**
 * The network of an IPv6 address. Undefined for IPv4 and for addresses translated from IPv4, whose network contains
 * other clients.
 */
export function ownNetwork(ip: string, length = networkBits): string | undefined {
  const prefix = readPrefix(ip);
  const isOne = prefix?.family === 6 && !isTranslated(prefix.words[0] as number);
  return isOne ? networkOf(prefix, length) : undefined;
}

export interface Bounds {
  readonly addresses: number;
  readonly perNetwork: number;
}

const defaultBounds: Bounds = {
  addresses: daemonBounds.failureAddresses,
  perNetwork: daemonBounds.failureAddressesPerNetwork,
};

export class Tallies {
  /** Both maps are in the order of the last failure. */
  readonly #failedOnce = new Map<string, AddressTally>();
  readonly #failedAgain = new Map<string, AddressTally>();
  /** The number of addresses with a separate tally in each /64. */
  readonly #networks = new Map<string, number>();
  readonly #bounds: Bounds;
  /** The time of the last check of all tallies. */
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(bounds: Bounds = defaultBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#failedOnce.size + this.#failedAgain.size;
  }

  /** The key of a failure: `ip` or its /64, in canonical text. Undefined when `ip` is not an address or network. */
  keyOf(ip: string, now: number): string | undefined {
    const prefix = readPrefix(ip);
    if (!prefix) return undefined;
    this.#forgetOver(now);
    const address = formatPrefix(prefix);
    if (prefix.family === 4 || isTranslated(prefix.words[0] as number) || this.#has(address)) return address;
    const network = networkOf(prefix);
    return (this.#networks.get(network) ?? 0) < this.#bounds.perNetwork ? address : network;
  }

  #has(key: string): boolean {
    return this.#failedOnce.has(key) || this.#failedAgain.has(key);
  }

  /** Returns the tally of a key and makes it the newest one. */
  tallyOf(key: string): AddressTally {
    const tally = this.#failedOnce.get(key) ?? this.#failedAgain.get(key);
    if (!tally) return this.#add(key);
    this.#failedOnce.delete(key);
    this.#failedAgain.delete(key);
    this.#failedAgain.set(key, tally);
    return tally;
  }

  #add(key: string): AddressTally {
    if (this.size >= this.#bounds.addresses) this.#evict();
    const tally = new AddressTally();
    this.#failedOnce.set(key, tally);
    this.#changeNetworkCount(key, 1);
    return tally;
  }

  /** Evicts a tally. A quarter of the capacity is for addresses with one failure, so that they can get a second one. */
  #evict(): void {
    const isCrowded = this.#failedAgain.size > this.#bounds.addresses * 0.75 || this.#failedOnce.size === 0;
    const [oldest] = (isCrowded ? this.#failedAgain : this.#failedOnce).keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  /**
   * Drops tallies whose failures no longer count. With equal windows the oldest tally ends first, so the check stops at
   * the first tally that still counts. Windows can differ, so a sweep checks every tally from time to time.
   */
  #forgetOver(now: number): void {
    const isSweep = Math.abs(now - this.#sweptAt) >= daemonBounds.failureSweepMs;
    if (isSweep) this.#sweptAt = now;
    for (const tallies of [this.#failedOnce, this.#failedAgain])
      for (const [key, { countsUntil: until }] of tallies) {
        if (until <= now) this.delete(key);
        else if (!isSweep) break;
      }
  }

  /** Changes the number of addresses of a network that have a separate tally. */
  #changeNetworkCount(key: string, change: 1 | -1): void {
    if (!key.includes(':') || key.includes('/')) return;
    const network = networkOf(readPrefix(key) as Prefix);
    const count = (this.#networks.get(network) ?? 0) + change;
    if (count > 0) this.#networks.set(network, count);
    else this.#networks.delete(network);
  }

  delete(key: string): void {
    if (this.#failedOnce.delete(key) || this.#failedAgain.delete(key)) this.#changeNetworkCount(key, -1);
  }
}
