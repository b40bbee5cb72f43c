import { contains, networksOf, parseAddress } from './address.ts';

/** Networks that no client of the internet has: loopback, private, link-local and shared addresses. */
const networks = networksOf(['private']);

/** Whether a text is an address of a network that no client of the internet has. */
export function isPrivate(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && networks.some((network) => contains(network, address));
}
