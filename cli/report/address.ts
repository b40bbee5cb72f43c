/** Identifies clients as bans and rate limits do: by an IPv4 address or an IPv6 /64. */
import { limits } from '../../contract/policy/limits.ts';
import { formatAddress, parseAddress, parseNetwork } from '../../contract/values/address.ts';
import { reportBounds } from '../counting/bounds.ts';

const interfaceBits = 64n;
const bitsAfterTranslatedPrefix = 96n;

/** Events of tcp-guard can have a banned network as their address. */
function networkOf(text: string): string | undefined {
  const network = text.includes('/') ? parseNetwork(text) : undefined;
  if (!network) return undefined;
  const { family, prefix, length } = network;
  const width = family === 4 ? 32 : 128;
  return `${formatAddress({ family, value: prefix << BigInt(width - length) })}/${length}`;
}

/**
 * Returns the client of an address in canonical form. An IPv6 address becomes its /64, because providers assign a whole
 * /64 to a client. IPv4 addresses, their translations to IPv6, and networks remain. Returns undefined for other text.
 */
function clientOf(text: string): string | undefined {
  const address = parseAddress(text);
  if (!address) return networkOf(text);
  const isWhole = address.family === 4 || Number(address.value >> bitsAfterTranslatedPrefix) === limits.translatedBits;
  if (isWhole) return formatAddress(address);
  const value = (address.value >> interfaceBits) << interfaceBits;
  return `${formatAddress({ family: 6, value })}/64`;
}

/** Returns a cached `clientOf`: many events come from few clients. */
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
