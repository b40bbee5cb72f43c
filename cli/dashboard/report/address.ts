/** Identifies clients like bans and rate limits: by an IPv4 address or an IPv6 /64. */
import { limits } from '../../../contract/policy/limits.ts';
import { formatAddress, parseAddress, parseNetwork } from '../../../contract/values/address.ts';
import { reportBounds } from './bounds.ts';

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

/** Keeps networks, IPv4 and translated addresses. Providers assign a whole IPv6 /64 to a client. */
function clientOf(text: string): string | undefined {
  const address = parseAddress(text);
  if (!address) return networkOf(text);
  const isWhole = address.family === 4 || Number(address.value >> bitsAfterTranslatedPrefix) === limits.translatedBits;
  if (isWhole) return formatAddress(address);
  const value = (address.value >> interfaceBits) << interfaceBits;
  return `${formatAddress({ family: 6, value })}/64`;
}

/** Caches results, because many events have few clients. */
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
