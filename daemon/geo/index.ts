/** From which country an address comes: a database in memory, read again when its file changes. */

import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type CountryOf, readDatabase } from './database.ts';

export interface Geo {
  readonly countryOf: CountryOf;
  /** Reads a database, empty: none. Rejects when it cannot be read. What is returned puts it into use. */
  readonly prepare: (path: string) => Promise<() => void>;
  readonly problems: () => readonly string[];
  readonly close: () => void;
}

const nowhere: CountryOf = () => '';

/** `checkMs`: how often the file is looked at. Looking finds a file that was put in the place of another, too. */
export function createGeo(fault: (message: string) => void, checkMs = 5000): Geo {
  let current = { path: '', countryOf: nowhere };
  let problem: string | undefined;

  const report = (text: string) => {
    if (text === problem) return;
    problem = text;
    fault(text);
  };
  /** Every connection may ask for a damaged part: it is told once. */
  const damaged = () => report('geoip_db: the file is damaged, and some addresses are of no country');
  const open = async (path: string) => readDatabase(await readFile(path), damaged);
  const reread = async () => {
    const { path } = current;
    try {
      const countryOf = await open(path);
      if (current.path === path) current = { path, countryOf };
      problem = undefined;
    } catch (error) {
      report(`geoip_db: the new file cannot be read, the one before stays: ${(error as Error).message}`);
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
