/** The read positions on disk, from which the next run continues. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularSync } from '../../platform/regular-file.ts';

const mostBytes = 16 * 1024 * 1024; // enough for the paths of thousands of files

export interface Position {
  /** The inode of the file. Renaming keeps it. */
  readonly inode: number;
  readonly offset: number;
  /** A hash of the first bytes, because inodes are reused. */
  readonly head: string;
}

export interface Positions {
  readonly get: (file: string) => Position | undefined;
  readonly set: (file: string, position: Position) => void;
  /** Writes the positions if one was set since the last write. Rejects when the write fails. */
  readonly save: () => Promise<void>;
}

function isPosition(value: unknown): value is Position {
  const { inode, offset, head } = (value ?? {}) as Partial<Position>;
  return Number.isSafeInteger(inode) && Number.isSafeInteger(offset) && typeof head === 'string';
}

function readPositions(path: string): [string, Position][] {
  try {
    const stored: unknown = JSON.parse(readRegularSync(path, mostBytes).toString());
    return Object.entries(stored as object).filter((entry): entry is [string, Position] => isPosition(entry[1]));
  } catch {
    return []; // The first run, a damaged file, or a pipe in its place: only new events count.
  }
}

/** `files`: the followed paths. Positions of other files are dropped. */
export function openPositions(dataDir: string, files: readonly string[]): Positions {
  const path = join(dataDir, 'intake.json');
  const positions = new Map(readPositions(path).filter(([file]) => files.includes(file)));
  let isChanged = false;
  return {
    get: (file) => positions.get(file),
    set: (file, position) => {
      positions.set(file, position);
      isChanged = true;
    },
    save: async () => {
      if (!isChanged) return;
      isChanged = false;
      try {
        await writeFile(`${path}.new`, `${JSON.stringify(Object.fromEntries(positions))}\n`, { mode: 0o600 });
        await rename(`${path}.new`, path);
      } catch (error) {
        isChanged = true;
        throw error;
      }
    },
  };
}
