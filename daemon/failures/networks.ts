/**
 * Bans of single IPv6 addresses, by network. A client with a /64 could continue from address to address: after some
 * bans, its network is banned.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { ownNetwork } from './tallies.ts';

/** The end of each ban by address, milliseconds since the epoch. */
type Ends = Map<string, number>;

export class NetworkBans {
  /** Sorted by the last ban. */
  readonly #networks = new Map<string, Ends>();
  readonly #most: number;

  constructor(most: number = daemonBounds.failureAddresses) {
    this.#most = most;
  }

  /** Returns the number of banned addresses of the network. */
  add(network: string, ip: string, end: number, now: number): number {
    const before = [...(this.#networks.get(network) ?? [])].filter(([other, until]) => until > now && other !== ip);
    const ends = new Map([...before, [ip, end] as const].slice(-daemonBounds.failureAddressesPerNetwork));
    this.#networks.delete(network); // `set` then adds the key at the end, so that the first key is the oldest
    const oldest = this.#networks.size >= this.#most ? this.#networks.keys().next().value : undefined;
    if (oldest !== undefined) this.#networks.delete(oldest);
    this.#networks.set(network, ends);
    return ends.size;
  }

  /** `ip`: an address or a network, in canonical text. */
  remove(ip: string): void {
    this.#networks.delete(ip);
    const network = ownNetwork(ip);
    if (network !== undefined) this.#networks.get(network)?.delete(ip);
  }
}
