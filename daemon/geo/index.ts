/** Looks up the country of an address in the database of the configuration. */
import type { CountryOf } from './database.ts';
import { type Followed, noDatabase, openFollowed } from './followed.ts';

/** Puts a prepared database into use. Either `complete` or `revert` is the last call. */
export interface GeoChange {
  /**
   * Called before the services that need the database listen. An earlier database stays in use when the configuration has
   * none: the services in force can need it until they are replaced.
   */
  readonly begin: () => void;
  /** Called when the configuration is in force. */
  readonly complete: () => void;
  /** Puts the earlier database back into use. */
  readonly revert: () => void;
}

export const noGeoChange: GeoChange = { begin: () => {}, complete: () => {}, revert: () => {} };

export interface Geo {
  readonly countryOf: CountryOf;
  /** Whether the database in use could not be read yet. Then no address has a country. */
  readonly isMissing: () => boolean;
  /**
   * Reads a database; an empty path means none. When it cannot be read, `prepare` rejects, or with `canMiss` uses it as soon
   * as it can be read.
   */
  readonly prepare: (path: string, canMiss?: boolean) => Promise<GeoChange>;
  readonly problems: () => readonly string[];
  readonly close: () => void;
}

/** `checkMs`: see `FollowedOptions`. */
export function createGeo(fault: (message: string) => void, checkMs = 5000): Geo {
  let current: Followed = noDatabase;

  const changeTo = (next: Followed): GeoChange => {
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
      return changeTo(path === '' ? noDatabase : await openFollowed(path, { fault, checkMs, canMiss }));
    },
    problems: () => {
      const problem = current.problem();
      return problem === undefined ? [] : [problem];
    },
    close: () => current.close(),
  };
}
