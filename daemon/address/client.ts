/** The peer of a connection, and the client that limits count it for. */
import { limits } from '../../contract/policy/limits.ts';
import { type Address, formatAddress } from '../../contract/values/address.ts';
import { bitsOf, formatWords, readAddress } from './prefix.ts';

/** One end of a connection. */
export interface Peer {
  /** The address as the system writes it, without a zone. An IPv4 address may be mapped into IPv6. */
  readonly ip: string;
  readonly port: number;
}

export interface Client {
  readonly address: Address;
  /** Canonical text. */
  readonly ip: string;
  readonly port: number;
  /**
   * The key of per-client limits: an IPv4 or translated address, or the /64 of an IPv6 address. One site gets at least
   * a /64 (RFC 6177).
   */
  readonly key: string;
}

const hostBits = 64n;
const laterBits = 96n;

/** Whether the first 32 bits mark a translated IPv4 address (RFC 6052). All of IPv4 is in one /64 there. */
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

/**
 * Parses without allocating a network, because it runs for every connection. The operating system always gives a valid
 * address.
 */
export function clientOfPeer({ ip: text, port }: Peer): Client {
  const read = readAddress(text, words);
  if (read === 0) words.fill(0);
  const family = read || 4;
  const ip = formatWords(family, words, 0, bitsOf[family]);
  if (family === 4) return { address: { family, value: BigInt(words[0] as number) }, ip, port, key: ip };
  const network = wordsFrom(0);
  const key = isTranslated(words[0] as number) ? ip : network.toString(16);
  return { address: { family, value: (network << hostBits) | wordsFrom(2) }, ip, port, key };
}
