/** Socket addresses in C: `struct sockaddr_in`, `sockaddr_in6` and `sockaddr_un` (ip(7), ipv6(7), unix(7)). */
import { formatAddress } from '../../../contract/values/address.ts';
import type { Peer } from '../../address/client.ts';
import { readAddress } from '../../address/prefix.ts';
import { family } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import type { SocketAddress } from '../plane.ts';

export const addressBytes = 128;
const pathOffset = 2;
const pathBytes = 108;

export interface Encoded {
  readonly family: number;
  readonly length: number;
}

function encodePath(into: Block, path: string): Encoded | undefined {
  const bytes = new TextEncoder().encode(path);
  if (bytes.length >= pathBytes) return undefined;
  into.bytes.set(bytes, pathOffset);
  into.bytes[pathOffset + bytes.length] = 0;
  return { family: family.unix, length: pathOffset + bytes.length + 1 };
}

const ipWords = new Uint32Array(4); // scratch space of encodeIp

/** Encodes an IP address. Ports and addresses are big-endian. Runs for every connection, so it creates no bigint. */
function encodeIp({ view }: Block, { ip: text, port }: Peer): Encoded | undefined {
  const read = readAddress(text, ipWords);
  if (read === 0) return undefined;
  view.setUint16(2, port);
  const isIpv4 = read === 4;
  view.setUint32(4, isIpv4 ? (ipWords[0] as number) : 0); // IPv6: no flow label
  for (let index = 0; index < 4; index++) view.setUint32(8 + 4 * index, isIpv4 ? 0 : (ipWords[index] as number));
  view.setUint32(24, 0); // IPv6: no zone
  return isIpv4 ? { family: family.ipv4, length: 16 } : { family: family.ipv6, length: 28 };
}

/** Returns undefined when the text is not an address or has a zone, or when the path is too long. */
export function encodeAddress(into: Block, address: SocketAddress): Encoded | undefined {
  const encoded = 'path' in address ? encodePath(into, address.path) : encodeIp(into, address);
  if (encoded) into.view.setUint16(0, encoded.family, true);
  return encoded;
}

const quadAt = ({ bytes }: Block, at: number): string =>
  `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`;

/** The third word of an IPv4 address that is mapped into IPv6 (::ffff:0:0/96), in the byte order of the machine. */
const mappedWord = 0xffff_0000 | 0;
const isMapped = ({ words }: Block): boolean => words[2] === 0 && words[3] === 0 && words[4] === mappedWord;

/** Decodes an address. The address of a Unix socket is empty. */
export function decodeAddress(block: Block): Peer {
  const kind = block.view.getUint16(0, true);
  const port = block.view.getUint16(2);
  if (kind === family.ipv4) return { ip: quadAt(block, 4), port };
  if (kind !== family.ipv6) return { ip: '', port: 0 };
  if (isMapped(block)) return { ip: `::ffff:${quadAt(block, 20)}`, port };
  const value = (block.view.getBigUint64(8) << 64n) | block.view.getBigUint64(16);
  return { ip: formatAddress({ family: 6, value }), port };
}
