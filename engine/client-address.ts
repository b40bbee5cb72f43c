/** The client address of a request behind proxies (docs/engine.md, "The client address"). */
import { type Address, contains, forwardedAddress, type Network, parseAddress } from '../contract/values/address.ts';
import { strip } from './bytes.ts';
import type { GuardRequest } from './request.ts';

export function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some((network) => contains(network, address));
}

/** Returns the entries of X-Forwarded-For from left to right, none without such a header. */
export function forwardedEntries({ headers }: Pick<GuardRequest, 'headers'>): string[] {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'x-forwarded-for');
  return lines.flatMap(([, value]) => value.split(',')).map((entry) => strip(entry, ' \t'));
}

/**
 * Returns the peer or, behind trusted proxies, the right-most untrusted address in X-Forwarded-For. A client can forge
 * everything left of that address. If all addresses are trusted, returns the left-most. A malformed entry ends the
 * search. Returns undefined for a peer without an address.
 */
export function clientAddress(request: GuardRequest, trusted: readonly Network[]): Address | undefined {
  let address = parseAddress(request.ip ?? '');
  if (!address || !isWithin(address, trusted)) return address;
  for (const entry of forwardedEntries(request).reverse()) {
    const previous = forwardedAddress(entry);
    if (!previous) return address;
    address = previous;
    if (!isWithin(address, trusted)) return address;
  }
  return address;
}
