/** A database in memory that is read again when its file changes. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { watchFiles } from '../../platform/file-changes.ts';
import { readRegular } from '../../platform/regular-file.ts';
import { type CountryOf, readDatabase } from './database.ts';

export interface Followed {
  readonly path: string;
  /** Undefined: the database could not be read yet. */
  readonly countryOf: () => CountryOf | undefined;
  readonly problem: () => string | undefined;
  /** Reports a database that could not be read, and reads the file again after each change. */
  readonly follow: () => void;
  readonly close: () => void;
}

export interface FollowedOptions {
  readonly fault: (message: string) => void;
  /** How often the file is checked, milliseconds. Polling also notices a file that replaced another one. */
  readonly checkMs: number;
  /** Whether a database that cannot be read is used as soon as it can be. */
  readonly canMiss: boolean;
}

const nowhere: CountryOf = () => '';

/** The absence of a database: no address has a country. */
export const noDatabase: Followed = {
  path: '',
  countryOf: () => nowhere,
  problem: () => undefined,
  follow: () => {},
  close: () => {},
};

/** Rejects when the database cannot be read, unless it can be missing. */
export async function openFollowed(path: string, { fault, checkMs, canMiss }: FollowedOptions): Promise<Followed> {
  let countryOf: CountryOf | undefined;
  let problem: string | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  const report = (text: string) => {
    if (text === problem) return;
    problem = text;
    fault(text);
  };
  const unread = ({ message }: Error) => {
    const [file, effect] = countryOf
      ? ['the new file', 'the previous one stays in use']
      : ['the file', 'the coordinator decides by country meanwhile'];
    report(`geoip_db: cannot read ${file}, ${effect}: ${message}`);
  };
  const read = async () => readDatabase(await readRegular(path, daemonBounds.geoDatabaseBytes));
  const reread = async () => {
    try {
      const found = await read();
      if (signal.aborted) return;
      countryOf = found;
      problem = undefined;
    } catch (error) {
      if (!signal.aborted) unread(error as Error);
    }
  };
  const files = watchFiles({ pollMs: checkMs, ref: false });
  files.add(path);
  const opened = await read().catch((error: Error) => error);
  if (!(opened instanceof Error)) countryOf = opened;
  else if (!canMiss) throw opened;
  return {
    path,
    countryOf: () => countryOf,
    problem: () => problem,
    follow: () => {
      if (opened instanceof Error) unread(opened);
      files.follow(reread, signal).catch(() => {});
    },
    close: () => closing.abort(),
  };
}
