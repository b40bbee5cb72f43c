/** Looks up the country of an address in the database of the configuration. */
import type { CountryOf } from './database.ts';
import { type FollowedDatabase, type FollowedOptions, noDatabase, openFollowed } from './followed.ts';

/** Puts a prepared database into use. The last call is either `complete` or `revert`. */
export interface GeoChange {
  /** Call it before the services that need the database listen. Does nothing when the change removes the database. */
  readonly begin: () => void;
  /** Call it when the configuration is in force. */
  readonly complete: () => void;
  readonly revert: () => void;
}

export const noGeoChange: GeoChange = { begin: () => {}, complete: () => {}, revert: () => {} };

export interface Geo {
  readonly countryOf: CountryOf;
  /** Whether the configured database could not be read yet. Until it is read, addresses have no country. */
  readonly isMissing: () => boolean;
  /**
   * Reads a database. An empty path means none. With `canMiss`, an unreadable file is used as soon as it can be read.
   */
  readonly prepare: (path: string, canMiss?: boolean) => Promise<GeoChange>;
  readonly problems: () => readonly string[];
  readonly close: () => void;
}

type GeoOptions = Pick<FollowedOptions, 'fault'> & Partial<Pick<FollowedOptions, 'replaced' | 'checkMs'>>;

export function createGeo({ fault, replaced = () => {}, checkMs = 5000 }: GeoOptions): Geo {
  let current: FollowedDatabase = noDatabase;

  const changeTo = (next: FollowedDatabase): GeoChange => {
    const previous = current;
    const use = () => {
      if (current === next) return;
      current = next;
      next.follow();
    };
    return {
      begin: () => {
        if (next !== noDatabase) use();
      },
      complete: () => {
        use();
        previous.close();
      },
      revert: () => {
        current = previous;
        next.close();
      },
    };
  };
  return {
    countryOf: (ip) => current.countryOf()?.(ip) ?? '',
    isMissing: () => current.countryOf() === undefined,
    prepare: async (path, canMiss = false) => {
      if (path === current.path) return noGeoChange;
      return changeTo(path === '' ? noDatabase : await openFollowed(path, { fault, replaced, checkMs, canMiss }));
    },
    problems: () => {
      const problem = current.problem();
      return problem === undefined ? [] : [problem];
    },
    close: () => current.close(),
  };
}
