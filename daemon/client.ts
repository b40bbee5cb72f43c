/** Who a connection comes from. */
import { type Address, formatAddress, parseAddress } from '../contract/address.ts';
import type { Peer } from './plane/plane.ts';

export interface Client {
  readonly address: Address;
  /** Canonical text. */
  readonly ip: string;
  readonly port: number;
  /** What limits count by: the address, of IPv6 its /64, which is what one user is given (RFC 6177), unless it was translated. */
  readonly key: string;
}

const hostBits = 64n;
const laterBits = 96n;

/** Whether translators made an IPv6 address of an IPv4 one (RFC 6052 2.1, RFC 8215): all of IPv4 is one /64 there. By its first 32 bits. */
export const isTranslated = (first: number): boolean => first === 0x0064_ff9b;

function keyOf({ family, value }: Address, ip: string): string {
  return family === 4 || isTranslated(Number(value >> laterBits)) ? ip : (value >> hostBits).toString(16);
}

export function clientOf(address: Address, port: number): Client {
  const ip = formatAddress(address);
  return { address, ip, port, key: keyOf(address, ip) };
}

const nobody: Address = { family: 4, value: 0n };

/** A peer as the system names it is always an address. */
export function clientOfPeer({ ip, port }: Peer): Client {
  return clientOf(parseAddress(ip) ?? nobody, port);
}
