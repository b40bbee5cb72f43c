/** A GeoIP database in memory. */
import { Reader } from 'maxmind';

/** ISO 3166-1 alpha-2; empty: unknown. */
export type CountryOf = (ip: string) => string;

/** The entry formats in use: MaxMind's nested one, and flat ones. */
interface Entry {
  readonly country?: { readonly iso_code?: string };
  readonly registered_country?: { readonly iso_code?: string };
  readonly country_code?: string;
}

const codeForm = /^[A-Z]{2}$/;

function countryIn(reader: Reader<never>, ip: string): string {
  const entry = reader.get(ip) as Entry | null;
  const code = entry?.country?.iso_code ?? entry?.country_code ?? entry?.registered_country?.iso_code ?? '';
  return codeForm.test(code) ? code : '';
}

/**
 * Throws when `bytes` are not a database. Damage inside shows only on a lookup: then `damaged` is called and the country
 * is unknown.
 */
export function readDatabase(bytes: Buffer, damaged: () => void): CountryOf {
  const reader = new Reader<never>(bytes);
  return (ip) => {
    try {
      return countryIn(reader, ip);
    } catch {
      damaged();
      return '';
    }
  };
}
