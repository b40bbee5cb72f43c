/** Chooses a different client address for each probe, so that probes do not affect each other. */

import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { contains, formatAddress, type Network, networksOf, parseAddress } from '../../../contract/values/address.ts';
import type { CountryOf } from '../../../daemon/geo/database.ts';
import type { ServiceConfig } from './published.ts';

/** No real client uses these networks. */
const documentationNetworks = ['198.51.100.0/24', '203.0.113.0/24', '192.0.2.0/24'];

const isCovered = (list: readonly Network[], ip: string): boolean => {
  const address = parseAddress(ip);
  return address !== undefined && list.some((network) => contains(network, address));
};

/** Two networks for each first octet. They contain addresses of most countries. */
const worldNetworks = Array.from({ length: 223 }, (_, octet) => [
  `${octet + 1}.0.1.0/24`,
  `${octet + 1}.128.1.0/24`,
]).flat();

type GeoBlock = Daemon['global']['geo_block'];

const hasCountries = ({ allow_countries, deny_countries }: GeoBlock): boolean =>
  allow_countries.length + deny_countries.length > 0;

const isAdmitted = ({ allow_countries, deny_countries }: GeoBlock, country: string): boolean =>
  !deny_countries.includes(country) && (allow_countries.length === 0 || allow_countries.includes(country));

function addressAt({ family, prefix, length }: Network, number: number): string | undefined {
  const bits = BigInt((family === 4 ? 32 : 128) - length);
  if (BigInt(number) >> bits !== 0n) return undefined;
  return formatAddress({ family, value: (prefix << bits) | BigInt(number) });
}

const networksOfPolicy = (policy: Policy | undefined): Network[] => networksOf(policy?.allowedIps ?? []);

const addressesPerNetwork = 250;

function* candidates(list: readonly Network[]): Generator<string> {
  for (let number = 0; number < addressesPerNetwork; number += 1)
    for (const network of list) {
      const ip = addressAt(network, number + 1) ?? addressAt(network, number);
      if (ip !== undefined) yield ip;
    }
}

/** Each function returns another unused address, or undefined when none is left. */
export interface Addresses {
  /** An address that can be banned. Filters and country lists allow it, and `allowedIps` of the policy lacks it. */
  readonly nextAllowed: (service: ServiceConfig, policy?: Policy) => string | undefined;
  /** An address that the filters refuse. */
  readonly nextDenied: (service: ServiceConfig) => string | undefined;
  /** An address that the filters allow and the country lists refuse. */
  readonly nextGeoBlocked: (service: ServiceConfig) => string | undefined;
}

/** `countryOf` is the country lookup of the daemon, if it has country rules. */
export function createAddresses({ global }: Daemon, countryOf: CountryOf = () => ''): Addresses {
  const used = new Set<string>();
  const exempt = networksOf(global.never_ban);
  const claim = (list: readonly Network[], isFit: (ip: string) => boolean): string | undefined => {
    for (const ip of candidates(list))
      if (!used.has(ip) && isFit(ip)) {
        used.add(ip);
        return ip;
      }
    return undefined;
  };
  const hasAllowedCountry = (service: ServiceConfig, ip: string): boolean =>
    [global.geo_block, service.geo_block].every((block) => !hasCountries(block) || isAdmitted(block, countryOf(ip)));
  const countries = (service: ServiceConfig): readonly string[] =>
    [global.geo_block, service.geo_block].some(hasCountries) ? worldNetworks : [];
  const passesFilters = (service: ServiceConfig, ip: string): boolean =>
    [global.ip_filter, service.ip_filter].every(({ allow, deny }) => {
      return (allow.length === 0 || isCovered(networksOf(allow), ip)) && !isCovered(networksOf(deny), ip);
    });
  const listed = (service: ServiceConfig, key: 'allow' | 'deny'): Network[] =>
    networksOf([...service.ip_filter[key], ...global.ip_filter[key]]);
  return {
    nextAllowed: (service, policy) =>
      claim(
        networksOf([...documentationNetworks, ...countries(service)]).concat(listed(service, 'allow')),
        (ip) =>
          passesFilters(service, ip) &&
          hasAllowedCountry(service, ip) &&
          !isCovered([...exempt, ...networksOfPolicy(policy)], ip),
      ),
    nextDenied: (service) =>
      claim([...listed(service, 'deny'), ...networksOf(documentationNetworks)], (ip) => !passesFilters(service, ip)),
    nextGeoBlocked: (service) =>
      claim(
        networksOf(countries(service)).concat(listed(service, 'allow')),
        (ip) => passesFilters(service, ip) && !hasAllowedCountry(service, ip) && !isCovered(exempt, ip),
      ),
  };
}
