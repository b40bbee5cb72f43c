/** The client of an event, as bans and limits count it. */
import { limits } from '../../../contract/policy/limits.ts';
import { formatAddress, parseAddress, parseNetwork } from '../../../contract/values/address.ts';
import { reportBounds } from './bounds.ts';

const hostBits = 64n;
const laterBits = 96n;

/** A banned network. An event of tcp-guard has it in the place of the address. Undefined when `text` is not a network. */
function networkOf(text: string): string | undefined {
  const network = text.includes('/') ? parseNetwork(text) : undefined;
  if (!network) return undefined;
  const { family, prefix, length } = network;
  const width = family === 4 ? 32 : 128;
  return `${formatAddress({ family, value: prefix << BigInt(width - length) })}/${length}`;
}

/** An IPv4 or translated address, or the /64 of an IPv6 address, which one client gets as a whole. A network stays one. Undefined when `text` is neither. */
function clientOf(text: string): string | undefined {
  const address = parseAddress(text);
  if (!address) return networkOf(text);
  const isWhole = address.family === 4 || Number(address.value >> laterBits) === limits.translatedBits;
  if (isWhole) return formatAddress(address);
  const value = (address.value >> hostBits) << hostBits;
  return `${formatAddress({ family: 6, value })}/64`;
}

/** `clientOf` for many events, which have few clients. */
export function createClients(): (text: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (text) => {
    if (known.has(text)) return known.get(text);
    if (known.size === reportBounds.parsedAddresses) known.clear();
    const client = clientOf(text);
    known.set(text, client);
    return client;
  };
}
