/**
 * Bans of single IPv6 addresses, by network. An address that is banned is no more counted, so whoever has a /64 could go on
 * from address to address for ever: as many bans as addresses are counted apart are one of the network.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

/** Addresses and until when they are banned, milliseconds since the epoch. */
type Ends = ReadonlyMap<string, number>;

export class NetworkBans {
  /** In the order of their last ban. */
  readonly #networks = new Map<string, Ends>();
  readonly #most: number;

  constructor(most: number = daemonBounds.failureAddresses) {
    this.#most = most;
  }

  /** Notes a ban of an address of the network; how many of its addresses are banned now. */
  add(network: string, ip: string, end: number, now: number): number {
    const before = [...(this.#networks.get(network) ?? [])].filter(([other, until]) => until > now && other !== ip);
    const ends = new Map([...before, [ip, end] as const].slice(-daemonBounds.failureAddressesPerNetwork));
    this.#networks.delete(network); // to the end: the first is the oldest
    const oldest = this.#networks.size >= this.#most ? this.#networks.keys().next().value : undefined;
    if (oldest !== undefined) this.#networks.delete(oldest);
    this.#networks.set(network, ends);
    return ends.size;
  }
}
