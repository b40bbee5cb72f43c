/** Looks up the country of an address in a database in memory, which is read again when its file changes. */

import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type CountryOf, readDatabase } from './database.ts';

export interface Geo {
  readonly countryOf: CountryOf;
  /** Reads a database; an empty path means none. Rejects when it cannot be read. The result puts it into use. */
  readonly prepare: (path: string) => Promise<() => void>;
  readonly problems: () => readonly string[];
  readonly close: () => void;
}

const nowhere: CountryOf = () => '';

/** `checkMs`: how often the file is checked. Polling also notices a file that replaced another one. */
export function createGeo(fault: (message: string) => void, checkMs = 5000): Geo {
  let current = { path: '', countryOf: nowhere };
  let problem: string | undefined;

  const report = (text: string) => {
    if (text === problem) return;
    problem = text;
    fault(text);
  };
  /** Called for each lookup in a damaged part, reported once. */
  const damaged = () => report('geoip_db: the file is damaged, and some addresses have no country: install it again');
  const open = async (path: string) => readDatabase(await readFile(path), damaged);
  const reread = async () => {
    const { path } = current;
    try {
      const countryOf = await open(path);
      if (current.path === path) current = { path, countryOf };
      problem = undefined;
    } catch (error) {
      report(`geoip_db: cannot read the new file, the previous one stays in use: ${(error as Error).message}`);
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
