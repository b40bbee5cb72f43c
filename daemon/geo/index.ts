/** Looks up the country of an address in a database in memory, which is read again when its file changes. */

import { readFile } from 'node:fs/promises';
import { watchFiles } from '../../platform/file-changes.ts';
import { type CountryOf, readDatabase } from './database.ts';

export interface Geo {
  readonly countryOf: CountryOf;
  /** Whether the database in use could not be read yet. Then no address has a country. */
  readonly isMissing: () => boolean;
  /**
   * Reads a database; an empty path means none. The result puts it into use. When it cannot be read, `prepare` rejects, or
   * with `canMiss` uses it as soon as it can be read.
   */
  readonly prepare: (path: string, canMiss?: boolean) => Promise<() => void>;
  readonly problems: () => readonly string[];
  readonly close: () => void;
}

const nowhere: CountryOf = () => '';

interface Current {
  readonly path: string;
  /** Undefined: the database is missing. */
  readonly countryOf: CountryOf | undefined;
}

/** `checkMs`: how often the file is checked. Polling also notices a file that replaced another one. */
export function createGeo(fault: (message: string) => void, checkMs = 5000): Geo {
  let current: Current = { path: '', countryOf: nowhere };
  let problem: string | undefined;
  let following = new AbortController();

  const report = (text: string) => {
    if (text === problem) return;
    problem = text;
    fault(text);
  };
  /** Called for each lookup in a damaged part, reported once. */
  const damaged = () => report('geoip_db: the file is damaged, and some addresses have no country: install it again');
  const unread = ({ message }: Error) => {
    const [file, effect] = current.countryOf
      ? ['the new file', 'the previous one stays in use']
      : ['the file', 'the coordinator decides by country meanwhile'];
    report(`geoip_db: cannot read ${file}, ${effect}: ${message}`);
  };
  const open = async (path: string) => readDatabase(await readFile(path), damaged);
  const reread = async (path: string, signal: AbortSignal) => {
    try {
      const countryOf = await open(path);
      if (signal.aborted) return;
      current = { path, countryOf };
      problem = undefined;
    } catch (error) {
      if (!signal.aborted) unread(error as Error);
    }
  };
  const prepare = async (path: string, canMiss = false) => {
    if (path === current.path) return () => {};
    const files = watchFiles({ pollMs: checkMs, ref: false });
    if (path !== '') files.add(path);
    const opened = path === '' ? nowhere : await open(path).catch((error: Error) => error);
    if (opened instanceof Error && !canMiss) throw opened;
    return () => {
      following.abort();
      following = new AbortController();
      current = { path, countryOf: opened instanceof Error ? undefined : opened };
      problem = undefined;
      if (opened instanceof Error) unread(opened);
      const { signal } = following;
      if (path !== '') files.follow(() => reread(path, signal), signal).catch(() => {});
    };
  };
  return {
    countryOf: (ip) => (current.countryOf ?? nowhere)(ip),
    isMissing: () => current.countryOf === undefined,
    prepare,
    problems: () => (problem === undefined ? [] : [problem]),
    close: () => following.abort(),
  };
}
