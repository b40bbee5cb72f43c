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

/** Whether a rule needs the country of this client. */
export const needsCountry = (arrival: Arrival): boolean => geoRulesOf(arrival).length > 0;

export function geoGate(countryOf: CountryOf): Gate {
  return {
    refuses: (arrival) => {
      const blocks = geoRulesOf(arrival);
      if (blocks.length === 0) return undefined;
      const country = countryOf(arrival.client.ip);
      return blocks.every((block) => admits(block, country)) ? undefined : 'geo';
    },
  };
}
