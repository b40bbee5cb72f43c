/** Who a connection comes from. */
import { type Address, formatAddress, parseAddress } from '../contract/address.ts';
import type { Peer } from './plane/plane.ts';

export interface Client {
  readonly address: Address;
  /** Canonical text. */
  readonly ip: string;
  readonly port: number;
  /** What limits count by: the address, of IPv6 its /64, which is what one user is given (RFC 6177). */
  readonly key: string;
}

const hostBits = 64n;

export function clientOf(address: Address, port: number): Client {
  const ip = formatAddress(address);
  const key = address.family === 4 ? ip : (address.value >> hostBits).toString(16);
  return { address, ip, port, key };
}

const nobody: Address = { family: 4, value: 0n };

/** A peer as the system names it is always an address. */
export function clientOfPeer({ ip, port }: Peer): Client {
  return clientOf(parseAddress(ip) ?? nobody, port);
}
