/** Converts the peer of a connection to the client that limits count. */
import { limits } from '../../contract/policy/limits.ts';
import { type Address, formatAddress } from '../../contract/values/address.ts';
import { bitsOf, formatWords, readAddress } from './prefix.ts';

export interface Peer {
  /** The address as the system writes it, without a zone. An IPv4 address may be mapped into IPv6. */
  readonly ip: string;
  readonly port: number;
}

export interface Client {
  readonly address: Address;
  /** The address of the client in canonical text. */
  readonly ip: string;
  readonly port: number;
  /** The key of per-client limits: the /64 of an IPv6 address (RFC 6177), otherwise the IPv4 or translated address. */
  readonly key: string;
}

const hostBits = 64n;
const laterBits = 96n;

/**
 * Whether `first`, the first 32 bits of an IPv6 address, marks a translated IPv4 address (RFC 6052, RFC 8215). Each is
 * one client, because a /64 can contain all clients of a translator.
 */
export const isTranslated = (first: number): boolean => first === limits.translatedBits;

function keyOf({ family, value }: Address, ip: string): string {
  return family === 4 || isTranslated(Number(value >> laterBits)) ? ip : (value >> hostBits).toString(16);
}

export function clientOf(address: Address, port: number): Client {
  const ip = formatAddress(address);
  return { address, ip, port, key: keyOf(address, ip) };
}

const wordBits = 32n;
const words = new Uint32Array(4);
const wordsFrom = (index: number): bigint =>
  (BigInt(words[index] as number) << wordBits) | BigInt(words[index + 1] as number);

/** Runs for every connection, so it parses into shared words. The operating system always gives a valid address. */
export function clientOfPeer({ ip: text, port }: Peer): Client {
  const read = readAddress(text, words);
  if (read === 0) words.fill(0);
  const family = read || 4;
  // A dotted quad without leading zeros is canonical.
  const ip = read === 4 && !text.includes(':') ? text : formatWords(family, words, 0, bitsOf[family]);
  if (family === 4) return { address: { family, value: BigInt(words[0] as number) }, ip, port, key: ip };
  const network = wordsFrom(0);
  const key = isTranslated(words[0] as number) ? ip : network.toString(16);
  return { address: { family, value: (network << hostBits) | wordsFrom(2) }, ip, port, key };
}
