/** Addresses that probes come from: each probe gets one that no other has, so that none pays for what another did. */
import { contains, formatAddress, type Network, parseAddress, parseNetwork } from '../../../contract/address.ts';
import type { Daemon } from '../../../contract/daemon.ts';
import type { ServiceConfig } from '../../sandbox/targets/tcp-guard.ts';

/** Networks for documentation: no client of anybody's is there. */
const ours = ['198.51.100.0/24', '203.0.113.0/24', '192.0.2.0/24'];

const networks = (texts: readonly string[]): Network[] => texts.flatMap((text) => parseNetwork(text) ?? []);

const covers = (list: readonly Network[], ip: string): boolean => {
  const address = parseAddress(ip);
  return address !== undefined && list.some((network) => contains(network, address));
};

/** The address with this number in a network. */
function numbered({ family, prefix, length }: Network, number: number): string | undefined {
  const bits = BigInt((family === 4 ? 32 : 128) - length);
  if (BigInt(number) >> bits !== 0n) return undefined;
  return formatAddress({ family, value: (prefix << bits) | BigInt(number) });
}

const perNetwork = 250;

function* candidates(list: readonly Network[]): Generator<string> {
  for (let number = 0; number < perNetwork; number += 1)
    for (const network of list) {
      const ip = numbered(network, number + 1) ?? numbered(network, number);
      if (ip !== undefined) yield ip;
    }
}

export interface Addresses {
  /** One that the filters of a service let in and that can be banned; undefined: there is none left. */
  readonly welcome: (service: ServiceConfig) => string | undefined;
  /** One that the filters keep out; undefined: they keep nobody out. */
  readonly unwelcome: (service: ServiceConfig) => string | undefined;
}

export function createAddresses({ global }: Daemon): Addresses {
  const used = new Set<string>();
  const exempt = networks(global.never_ban);
  const take = (list: readonly Network[], isFit: (ip: string) => boolean): string | undefined => {
    for (const ip of candidates(list))
      if (!used.has(ip) && isFit(ip)) {
        used.add(ip);
        return ip;
      }
    return undefined;
  };
  const isLetIn = (service: ServiceConfig, ip: string): boolean =>
    [global.ip_filter, service.ip_filter].every(({ allow, deny }) => {
      return (allow.length === 0 || covers(networks(allow), ip)) && !covers(networks(deny), ip);
    });
  const listed = (service: ServiceConfig, key: 'allow' | 'deny'): Network[] =>
    networks([...service.ip_filter[key], ...global.ip_filter[key]]);
  return {
    welcome: (service) =>
      take([...networks(ours), ...listed(service, 'allow')], (ip) => isLetIn(service, ip) && !covers(exempt, ip)),
    unwelcome: (service) => take([...listed(service, 'deny'), ...networks(ours)], (ip) => !isLetIn(service, ip)),
  };
}
