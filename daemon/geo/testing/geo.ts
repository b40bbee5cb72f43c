/** For tests: a GeoIP database of whois data. */
import { createRequire } from 'node:module';

export const geoDatabase: string = createRequire(import.meta.url).resolve(
  '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
);
