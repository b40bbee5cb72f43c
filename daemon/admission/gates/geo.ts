/** Applies the global and the per-service country lists. An address without a country is in no list. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { CountryOf } from '../../geo/database.ts';
import type { Arrival, Gate } from './gate.ts';

type GeoBlock = Daemon['global']['geo_block'];

const hasRules = ({ allow_countries, deny_countries }: GeoBlock) => allow_countries.length + deny_countries.length > 0;

/** Whether any rule needs the country of an address. */
export const usesCountries = ({ global, services }: Daemon): boolean =>
  [global, ...Object.values(services)].some(({ geo_block }) => hasRules(geo_block));

function admits({ allow_countries, deny_countries }: GeoBlock, country: string): boolean {
  return !deny_countries.includes(country) && (allow_countries.length === 0 || allow_countries.includes(country));
}

const geoRulesOf = ({ service, rules }: Arrival): readonly GeoBlock[] =>
  [rules.config.global.geo_block, service.config.geo_block].filter(hasRules);

/** Whether a rule needs the country of this client. Runs for every connection, so it creates no list. */
export const needsCountry = ({ service, rules }: Arrival): boolean =>
  hasRules(rules.config.global.geo_block) || hasRules(service.config.geo_block);

export function geoGate(countryOf: CountryOf): Gate {
  return {
    refuses: (arrival) => {
      if (!needsCountry(arrival)) return undefined;
      const country = countryOf(arrival.client.ip);
      return geoRulesOf(arrival).every((block) => admits(block, country)) ? undefined : 'geo';
    },
  };
}
