/** Writes the PROXY header for an upstream. */
import { type Address, formatAddress, parseAddress } from '../../contract/values/address.ts';
import type { Client, Peer } from '../address/client.ts';
import type { ServiceConfig } from '../inspectors/inspector.ts';
import { signature } from './header.ts';

interface Ends {
  readonly from: Address;
  readonly to: Address;
  readonly fromPort: number;
  readonly toPort: number;
}

const mappedPrefix = 0xffffn << 32n;

/** Converts an address to a family: an IPv4 address is mapped when the other end is IPv6. */
function inFamily({ family, value }: Address, wanted: 4 | 6): Address {
  return family === wanted ? { family, value } : { family: 6, value: mappedPrefix | value };
}

const addressText = (address: Address): string =>
  address.family === 6 && address.value >> 32n === 0xffffn
    ? `::ffff:${formatAddress({ family: 4, value: address.value & 0xffffffffn })}`
    : formatAddress(address);

function writeV1({ from, to, fromPort, toPort }: Ends): Buffer {
  return Buffer.from(
    `PROXY TCP${from.family} ${addressText(from)} ${addressText(to)} ${fromPort} ${toPort}\r\n`,
    'latin1',
  );
}

function writeV2({ from, to, fromPort, toPort }: Ends): Buffer {
  const size = from.family === 4 ? 4 : 16;
  const octets = ({ value }: Address) => Buffer.from(value.toString(16).padStart(size * 2, '0'), 'hex');
  const rest = Buffer.alloc(4 + 2 * size + 4);
  rest.set([0x21, from.family === 4 ? 0x11 : 0x21]); // PROXY; TCP over IPv4 or IPv6
  rest.writeUInt16BE(2 * size + 4, 2);
  rest.set(octets(from), 4);
  rest.set(octets(to), 4 + size);
  rest.writeUInt16BE(fromPort, 4 + 2 * size);
  rest.writeUInt16BE(toPort, 6 + 2 * size);
  return Buffer.concat([signature, rest]);
}

const writers = { off: undefined, v1: writeV1, v2: writeV2 } satisfies Record<
  ServiceConfig['proxy_protocol']['send'],
  ((ends: Ends) => Buffer) | undefined
>;

/** The header for the client of a connection. Undefined when the service sends none, or the connection is closed. */
export function proxyHeader(
  send: keyof typeof writers,
  client: Client,
  connection: { readonly local: Peer },
): Buffer | undefined {
  const write = writers[send];
  if (!write) return undefined;
  const { local } = connection; // read once, because it is a system call
  const to = parseAddress(local.ip);
  if (!to) return undefined;
  const family = client.address.family === 4 && to.family === 4 ? 4 : 6;
  const ends = { from: inFamily(client.address, family), to: inFamily(to, family) };
  return write({ ...ends, fromPort: client.port, toPort: local.port });
}
