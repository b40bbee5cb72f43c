import { contains, networksOf, parseAddress } from './address.ts';

/**
 * Networks that no client of the internet has: loopback, private, link-local and shared addresses (RFC 1122 3.2.1.3, RFC
 * 1918, RFC 3927, RFC 6598, RFC 4193, RFC 4291 2.5.6).
 */
const networks = networksOf([
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
]);

/** Whether a text is an address of a network that no client of the internet has. */
export function isPrivate(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && networks.some((network) => contains(network, address));
}
