/** Looks up the country of an address in a database in memory, which is read again when its file changes. */

import { readFile } from 'node:fs/promises';
import { type Watched, watchFiles } from '../../platform/file-changes.ts';
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
  let following = new AbortController();

  const report = (text: string) => {
    if (text === problem) return;
    problem = text;
    fault(text);
  };
  /** Called for each lookup in a damaged part, reported once. */
  const damaged = () => report('geoip_db: the file is damaged, and some addresses have no country: install it again');
  const open = async (path: string) => readDatabase(await readFile(path), damaged);
  const reread = async (path: string, signal: AbortSignal) => {
    try {
      const countryOf = await open(path);
      if (signal.aborted) return;
      current = { path, countryOf };
      problem = undefined;
    } catch (error) {
      if (signal.aborted) return;
      report(`geoip_db: cannot read the new file, the previous one stays in use: ${(error as Error).message}`);
    }
  };
  /** Until `signal` is aborted, which rejects. */
  const follow = async (path: string, files: Watched, signal: AbortSignal) => {
    for (;;) {
      await files.changed(signal);
      files.add(path);
      await reread(path, signal);
    }
  };
  const prepare = async (path: string) => {
    if (path === current.path) return () => {};
    const files = watchFiles({ pollMs: checkMs, ref: false });
    if (path !== '') files.add(path);
    const countryOf = path === '' ? nowhere : await open(path);
    return () => {
      following.abort();
      following = new AbortController();
      current = { path, countryOf };
      problem = undefined;
      if (path !== '') follow(path, files, following.signal).catch(() => {});
    };
  };
  return {
    countryOf: (ip) => current.countryOf(ip),
    prepare,
    problems: () => (problem === undefined ? [] : [problem]),
    close: () => following.abort(),
  };
}
