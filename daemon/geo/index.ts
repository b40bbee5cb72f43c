/** From which country an address comes: a database in memory, read again when its file changes. */

import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Reader } from 'maxmind';

/** ISO 3166-1 alpha-2; empty: unknown. */
export type CountryOf = (ip: string) => string;

export interface Geo {
  readonly countryOf: CountryOf;
  /** Reads a database, empty: none. Rejects when it cannot be read. What is returned puts it into use. */
  readonly prepare: (path: string) => Promise<() => void>;
  readonly problems: () => readonly string[];
  readonly close: () => void;
}

/** What the databases in use have of an address: MaxMind's and those made like them, and the flat ones. */
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

async function open(path: string): Promise<CountryOf> {
  const reader = new Reader<never>(await readFile(path));
  return (ip) => countryIn(reader, ip);
}

const nowhere: CountryOf = () => '';

/** `checkMs`: how often the file is looked at. Looking finds a file that was put in the place of another, too. */
export function createGeo(fault: (message: string) => void, checkMs = 5000): Geo {
  let current = { path: '', countryOf: nowhere };
  let problem: string | undefined;

  const reread = async () => {
    const { path } = current;
    try {
      const countryOf = await open(path);
      if (current.path === path) current = { path, countryOf };
      problem = undefined;
    } catch (error) {
      problem = `geoip_db: the new file cannot be read, the one before stays: ${(error as Error).message}`;
      fault(problem);
    }
  };
  const forget = () => {
    if (current.path !== '') unwatchFile(current.path, reread);
  };
  const prepare = async (path: string) => {
    if (path === current.path) return () => {};
    const countryOf = path === '' ? nowhere : await open(path);
    return () => {
      forget();
      current = { path, countryOf };
      problem = undefined;
      if (path !== '') watchFile(path, { interval: checkMs, persistent: false }, reread);
    };
  };
  return {
    countryOf: (ip) => current.countryOf(ip),
    prepare,
    problems: () => (problem === undefined ? [] : [problem]),
    close: forget,
  };
}
