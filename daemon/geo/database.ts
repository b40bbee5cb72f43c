/** A GeoIP database in memory. */
import { Reader } from 'maxmind';
import { checkTree } from './tree.ts';

/** Returns the country of an address by ISO 3166-1 alpha-2, or an empty text when the database has none for it. */
export type CountryOf = (ip: string) => string;

/** The formats of entries in use: the nested one of MaxMind, and flat ones. */
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
 * Reads the whole database once. Otherwise only the lookup of an address would find damage, and the address would pass
 * `deny_countries` without a country.
 * @throws Error when `bytes` are not a database or a part cannot be read
 */
export async function readDatabase(bytes: Buffer): Promise<CountryOf> {
  const reader = new Reader<never>(bytes);
  const countryOf: CountryOf = (ip) => countryIn(reader, ip);
  await checkTree(bytes, reader.metadata, countryOf);
  return countryOf;
}
