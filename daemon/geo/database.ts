/** A GeoIP database in memory. */
import { readTree, type Tree } from './tree.ts';

/** ISO 3166-1 alpha-2; empty: unknown. */
export type CountryOf = (ip: string) => string;

/** Where the databases in use have the country: MaxMind's and those made like them, and the flat ones. */
const places = [['country', 'iso_code'], ['country_code'], ['registered_country', 'iso_code']] as const;

const codeForm = /^[A-Z]{2}$/;

function countryIn({ entryOf, values }: Tree, ip: string): string {
  const entry = entryOf(ip);
  values.reset();
  for (const path of places) {
    const place = path.reduce<number | undefined>((at, key) => values.member(at, key), entry);
    const code = values.text(place);
    if (code !== undefined) return codeForm.test(code) ? code : '';
  }
  return '';
}

/**
 * Throws when `bytes` are no database. What is wrong further in shows when an address is asked for: `damaged` is told, and
 * the country is unknown.
 */
export function readDatabase(bytes: Buffer, damaged: () => void): CountryOf {
  const tree = readTree(bytes);
  return (ip) => {
    try {
      return countryIn(tree, ip);
    } catch {
      damaged();
      return '';
    }
  };
}
