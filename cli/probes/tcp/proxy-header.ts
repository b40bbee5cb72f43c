/** PROXY headers of HAProxy, which set the client address of a probe. */
import { type Address, parseAddress } from '../../../contract/values/address.ts';

export type HeaderVersion = 'v1' | 'v2';

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

/** Destinations for the header. tcp-guard does not use them, apart from a check of their form in version 1. */
const destinations = { 4: '192.0.2.255', 6: '2001:db8:ffff::' } as const;

function bytesOf({ family, value }: Address): Buffer {
  return Buffer.from(value.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex');
}

function binaryHeader(source: Address, destination: Address, port: number): Buffer {
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(port, 0);
  ports.writeUInt16BE(443, 2);
  const content = Buffer.concat([bytesOf(source), bytesOf(destination), ports]);
  return Buffer.concat([signature, Buffer.from([0x21, source.family === 4 ? 0x11 : 0x21, 0, content.length]), content]);
}

export function proxyHeader(ip: string, port: number, version: HeaderVersion): Buffer {
  const source = parseAddress(ip);
  if (!source) throw new Error(`${ip} is not an address`);
  const destination = destinations[source.family];
  if (version === 'v2') return binaryHeader(source, parseAddress(destination) as Address, port);
  return Buffer.from(`PROXY TCP${source.family} ${ip} ${destination} ${port} 443\r\n`, 'latin1');
}
