/**
 * Bans of single IPv6 addresses, by network. A client with a /64 could use one address after the other. So its network
 * is banned when enough of its addresses are banned.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { ownNetwork } from './tallies.ts';

/** The end of each ban by address, milliseconds since the epoch. */
type Ends = Map<string, number>;

export class NetworkBans {
  /** The networks, in the order of their last ban. */
  readonly #networks = new Map<string, Ends>();
  readonly #most: number;

  constructor(most: number = daemonBounds.failureAddresses) {
    this.#most = most;
  }

  /**
   * Adds a ban of an address. Returns the number of banned addresses of its network, at most
   * `failureAddressesPerNetwork`.
   */
  add(network: string, ip: string, end: number, now: number): number {
    const before = [...(this.#networks.get(network) ?? [])].filter(([other, until]) => until > now && other !== ip);
    const ends = new Map([...before, [ip, end] as const].slice(-daemonBounds.failureAddressesPerNetwork));
    this.#networks.delete(network); // `set` then adds the key at the end, so that the first key is the oldest
    const oldest = this.#networks.size >= this.#most ? this.#networks.keys().next().value : undefined;
    if (oldest !== undefined) this.#networks.delete(oldest);
    this.#networks.set(network, ends);
    return ends.size;
  }

  /** Forgets the ban of an address, or of all addresses of a network. `ip`: canonical text. */
  remove(ip: string): void {
    this.#networks.delete(ip);
    const network = ownNetwork(ip);
    if (network !== undefined) this.#networks.get(network)?.delete(ip);
  }
}
