/** Returns the client of an event in the same form as bans and rate limits: an IPv4 address or an IPv6 /64. */
import { limits } from '../../../contract/policy/limits.ts';
import { formatAddress, parseAddress, parseNetwork } from '../../../contract/values/address.ts';
import { reportBounds } from './bounds.ts';

const interfaceBits = 64n;
const bitsAfterTranslatedPrefix = 96n;

/** Normalizes a banned network, which events of tcp-guard have as their address. Returns undefined when `text` is not a network. */
function networkOf(text: string): string | undefined {
  const network = text.includes('/') ? parseNetwork(text) : undefined;
  if (!network) return undefined;
  const { family, prefix, length } = network;
  const width = family === 4 ? 32 : 128;
  return `${formatAddress({ family, value: prefix << BigInt(width - length) })}/${length}`;
}

/** Returns an IPv4 or translated address, a network, or the /64 of an IPv6 address, because providers assign a whole /64 to a client. */
function clientOf(text: string): string | undefined {
  const address = parseAddress(text);
  if (!address) return networkOf(text);
  const isWhole = address.family === 4 || Number(address.value >> bitsAfterTranslatedPrefix) === limits.translatedBits;
  if (isWhole) return formatAddress(address);
  const value = (address.value >> interfaceBits) << interfaceBits;
  return `${formatAddress({ family: 6, value })}/64`;
}

/** Returns `clientOf` with a cache, because many events have few clients. */
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
