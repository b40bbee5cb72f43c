/** The read positions on disk: a restart neither counts an event twice nor misses one. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Place {
  /** Inode of the file, which renaming keeps. */
  readonly inode: number;
  readonly offset: number;
  /** Hash of the first bytes: inodes are reused. */
  readonly head: string;
}

export interface Places {
  readonly get: (file: string) => Place | undefined;
  readonly set: (file: string, place: Place) => void;
  /** Writes changed positions. Rejects when the write fails. */
  readonly save: () => Promise<void>;
}

function isPlace(value: unknown): value is Place {
  const { inode, offset, head } = (value ?? {}) as Partial<Place>;
  return Number.isSafeInteger(inode) && Number.isSafeInteger(offset) && typeof head === 'string';
}

function read(path: string): [string, Place][] {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Object.entries(stored as object).filter((entry): entry is [string, Place] => isPlace(entry[1]));
  } catch {
    return []; // The first run, or a damaged file: only new events count.
  }
}

/** `files`: the followed paths. Positions of other files are dropped. */
export function openPlaces(dataDir: string, files: readonly string[]): Places {
  const path = join(dataDir, 'intake.json');
  const places = new Map(read(path).filter(([file]) => files.includes(file)));
  let isChanged = false;
  return {
    get: (file) => places.get(file),
    set: (file, place) => {
      places.set(file, place);
      isChanged = true;
    },
    save: async () => {
      if (!isChanged) return;
      isChanged = false;
      try {
        await writeFile(`${path}.new`, `${JSON.stringify(Object.fromEntries(places))}\n`, { mode: 0o600 });
        await rename(`${path}.new`, path);
      } catch (error) {
        isChanged = true;
        throw error;
      }
    },
  };
}
