/** A database in memory. It is read again when its file changes. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { watchFiles } from '../../platform/file-changes.ts';
import { readRegular } from '../../platform/regular-file.ts';
import { type CountryOf, readDatabase } from './database.ts';

export interface FollowedDatabase {
  readonly path: string;
  /** Undefined until the database was read. */
  readonly countryOf: () => CountryOf | undefined;
  readonly problem: () => string | undefined;
  /** Reports a database that could not be read. Reads the file again after each change. */
  readonly follow: () => void;
  readonly close: () => void;
}

export interface FollowedOptions {
  readonly fault: (message: string) => void;
  /** Reports that a changed file is in use. */
  readonly replaced: (message: string) => void;
  /** Milliseconds between two checks of the file. */
  readonly checkMs: number;
  /** Whether an unreadable database is accepted. It is used as soon as it can be read. */
  readonly canMiss: boolean;
}

const noCountry: CountryOf = () => '';

export const noDatabase: FollowedDatabase = {
  path: '',
  countryOf: () => noCountry,
  problem: () => undefined,
  follow: () => {},
  close: () => {},
};

/** Rejects when the database cannot be read, unless `canMiss` is set. */
export async function openFollowed(
  path: string,
  { fault, replaced, checkMs, canMiss }: FollowedOptions,
): Promise<FollowedDatabase> {
  let countryOf: CountryOf | undefined;
  let problem: string | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  const unread = ({ message }: Error) => {
    const [file, effect] = countryOf
      ? ['the new file', 'the previous one stays in use']
      : ['the file', 'the coordinator decides by country meanwhile'];
    const text = `geoip_db: cannot read ${file}, ${effect}: ${message}`;
    if (text !== problem) fault(text);
    problem = text;
  };
  const read = async () => readDatabase(await readRegular(path, daemonBounds.geoDatabaseBytes));
  const reread = async () => {
    try {
      const found = await read();
      if (signal.aborted) return;
      countryOf = found;
      problem = undefined;
      replaced(`geoip_db: the file changed and was read again: ${path}`);
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
