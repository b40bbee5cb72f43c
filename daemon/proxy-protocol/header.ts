/** Parses the PROXY protocol, versions 1 and 2, according to HAProxy's proxy-protocol.txt. */

import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type Address, parseAddress } from '../../contract/values/address.ts';

interface Source {
  readonly address: Address;
  readonly port: number;
}

export type ParsedHeader =
  | { readonly kind: 'more' }
  | { readonly kind: 'bad' }
  /**
   * `source` is undefined for a connection of the proxy itself (LOCAL), and when the header has no TCP address of the
   * client (UNKNOWN, UNSPEC, Unix sockets, datagrams).
   */
  | { readonly kind: 'header'; readonly length: number; readonly source: Source | undefined };

const needsMore = { kind: 'more' } as const;
const badHeader = { kind: 'bad' } as const;

export const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const longestV1 = 107; // with its line end (section 2.1)
const fixedBytesV2 = 16;
/** The largest number of bytes to wait for. */
export const longestHeader = fixedBytesV2 + daemonBounds.proxyHeaderBytes;

const portForm = /^(?:0|[1-9]\d{0,4})$/;

function parseSource(text: string, family: 4 | 6, port: string): Source | undefined {
  const address = parseAddress(text);
  const isMapped = family === 6 && address?.family === 4;
  if (!address || (address.family !== family && !isMapped)) return undefined;
  return portForm.test(port) && Number(port) <= 65_535 ? { address, port: Number(port) } : undefined;
}

function parseV1(bytes: Buffer): ParsedHeader {
  const end = bytes.subarray(0, longestV1).indexOf('\r\n');
  if (end < 0) return bytes.length < longestV1 ? needsMore : badHeader;
  const [, family, from = '', to = '', fromPort = '', toPort = '', ...rest] = bytes
    .toString('latin1', 0, end)
    .split(' ');
  const length = end + 2;
  if (family === 'UNKNOWN') return { kind: 'header', length, source: undefined };
  const version = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : undefined;
  if (!version || rest.length > 0 || !parseSource(to, version, toPort)) return badHeader;
  const client = parseSource(from, version, fromPort);
  return client ? { kind: 'header', length, source: client } : badHeader;
}

/** The address families of TCP, by the byte at offset 13. `bytes`: the length of an address. */
const families: Readonly<Record<number, { bytes: number; family: 4 | 6 }>> = {
  17: { bytes: 4, family: 4 },
  33: { bytes: 16, family: 6 },
};

const withoutMapping = (value: bigint): Address =>
  value >> 32n === 0xffffn ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };

function sourceV2(bytes: Buffer, rest: number): Source | 'bad' | undefined {
  const form = families[bytes.readUInt8(13)];
  if (!form) return undefined; // UNSPEC, Unix sockets and datagrams: no client address
  if (rest < form.bytes * 2 + 4) return 'bad';
  const value = BigInt(`0x${bytes.toString('hex', fixedBytesV2, fixedBytesV2 + form.bytes)}`);
  const address = form.family === 6 ? withoutMapping(value) : ({ family: 4, value } as const);
  return { address, port: bytes.readUInt16BE(fixedBytesV2 + form.bytes * 2) };
}

function parseV2(bytes: Buffer): ParsedHeader {
  if (bytes.length < fixedBytesV2) return needsMore;
  const [command, rest] = [bytes.readUInt8(12), bytes.readUInt16BE(14)];
  if ((command !== 0x20 && command !== 0x21) || rest > daemonBounds.proxyHeaderBytes) return badHeader;
  if (bytes.length < fixedBytesV2 + rest) return needsMore;
  const client = command === 0x20 ? undefined : sourceV2(bytes, rest);
  return client === 'bad' ? badHeader : { kind: 'header', length: fixedBytesV2 + rest, source: client };
}

const forms = [
  { start: Buffer.from('PROXY '), parse: parseV1 },
  { start: signature, parse: parseV2 },
];

/** Parses the header at the start of a connection. `all`: the bytes so far. */
export function parseHeader(all: Uint8Array): ParsedHeader {
  const bytes = Buffer.from(all.buffer, all.byteOffset, all.length);
  for (const { start, parse } of forms) {
    const known = Math.min(start.length, bytes.length);
    if (bytes.compare(start, 0, known, 0, known) === 0) return known < start.length ? needsMore : parse(bytes);
  }
  return badHeader;
}
