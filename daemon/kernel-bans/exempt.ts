/** Networks that a host must never drop, because its owner would be locked out or the host cut off. */
import { textOrEmpty } from '../../platform/proc.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';
import { ownAddresses } from '../process/limits.ts';

/** The IPv4 gateways, from the kernel's table of routes: hexadecimal, in the order of the bytes of the host. */
export function gatewaysOf(routes: string): string[] {
  return routes
    .split('\n')
    .slice(1)
    .flatMap((row) => {
      const [, , gateway = ''] = row.split('\t');
      if (!/^[0-9A-F]{8}$/.test(gateway) || gateway === '00000000') return [];
      const octets = gateway.match(/../g) ?? [];
      return [
        octets
          .reverse()
          .map((octet) => Number.parseInt(octet, 16))
          .join('.'),
      ];
    });
}

/** The IPv6 gateways: the fifth column of each route, 32 hexadecimal digits. */
export function gateways6Of(routes: string): string[] {
  return routes.split('\n').flatMap((row) => {
    const [, , , , gateway = ''] = row.trim().split(/\s+/);
    if (!/^[0-9a-f]{32}$/.test(gateway) || /^0+$/.test(gateway)) return [];
    return [(gateway.match(/.{4}/g) ?? []).join(':')];
  });
}

export const resolversOf = (resolvConf: string): string[] =>
  [...resolvConf.matchAll(/^nameserver[ \t]+([0-9A-Fa-f:.]+)/gm)].map(([, address = '']) => address);

export const gatewaysAndResolvers = (): string[] => [
  ...gatewaysOf(textOrEmpty('/proc/self/net/route')),
  ...gateways6Of(textOrEmpty('/proc/self/net/ipv6_route')),
  ...resolversOf(textOrEmpty('/etc/resolv.conf')),
];

/** @param neverBan entries of `never_ban` */
export function exemptPrefixes(neverBan: readonly string[]): Prefix[] {
  const texts = [...neverBan, ...ownAddresses(), ...gatewaysAndResolvers()];
  return [...new Set(texts)].sort().flatMap((text) => readPrefix(text) ?? []);
}
