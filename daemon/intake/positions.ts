/** What the next run needs to continue: read positions on disk, and users that logged in. */
import { join } from 'node:path';
import { readRegularSync, replaceFile } from '../../platform/regular-file.ts';

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
  /** Drops the position of a file that is gone. */
  readonly forget: (file: string) => void;
  /** Where the journal was read last, as journalctl names it. */
  cursor: string | undefined;
  /** When each user logged in last from an address, by a hash of both. Milliseconds since the epoch. */
  readonly successes: readonly (readonly [string, number])[];
  /** When the previous run stopped, milliseconds since the epoch. Undefined when it was killed. */
  readonly stoppedAt: number | undefined;
  /** Set when something changed that the next run needs. */
  isChanged: boolean;
  /** Writes the state if something changed since the last write. Rejects when the write fails. */
  readonly save: (successes: ReadonlyMap<string, number>, stoppedAt?: number) => Promise<void>;
}

type Pairs = readonly (readonly [string, unknown])[];

function isPosition(value: unknown): value is Position {
  const { inode, offset, head } = (value ?? {}) as Partial<Position>;
  const isPlaced = Number.isSafeInteger(inode) && Number.isSafeInteger(offset) && (offset as number) >= 0;
  return isPlaced && typeof head === 'string';
}

const isRow = (value: unknown): value is [string, number] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';

/** What journalctl writes, such as `s=0639…;i=58;b=c8…;m=2a…;t=5d…;x=…`. The system starts no program with a NUL in an argument. */
const isCursor = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,1024}$/.test(value);

interface State {
  readonly files: Readonly<Record<string, Position>>;
  readonly cursor?: unknown;
  readonly successes?: unknown;
  readonly stoppedAt?: unknown;
}

/** Before 0.2 the file had only the positions. */
function readState(path: string): State {
  try {
    const stored = JSON.parse(readRegularSync(path, mostBytes).toString()) as State;
    const files: Pairs = Object.entries(stored.files ?? stored);
    return { ...stored, files: Object.fromEntries(files.filter(([, value]) => isPosition(value))) as State['files'] };
  } catch {
    return { files: {} }; // The first run, a damaged file, or a pipe in its place: only new lines count.
  }
}

/** Positions of files that no caller asks for are dropped at the next save. */
export function openPositions(dataDir: string): Positions {
  const path = join(dataDir, 'intake.json');
  const { files, cursor, successes, stoppedAt } = readState(path);
  const stored = new Map(Object.entries(files));
  const positions = new Map<string, Position>();
  return {
    get(file) {
      const position = positions.get(file) ?? stored.get(file);
      if (position) positions.set(file, position);
      return position;
    },
    set(file, position) {
      positions.set(file, position);
      this.isChanged = true;
    },
    forget(file) {
      this.isChanged = positions.delete(file) || this.isChanged;
    },
    cursor: isCursor(cursor) ? cursor : undefined,
    successes: Array.isArray(successes) ? successes.filter(isRow) : [],
    stoppedAt: typeof stoppedAt === 'number' ? stoppedAt : undefined,
    isChanged: false,
    async save(users, endedAt) {
      if (!this.isChanged && endedAt === undefined) return;
      this.isChanged = false;
      const state = { files: Object.fromEntries(positions), cursor: this.cursor, successes: [...users] };
      try {
        await replaceFile(path, (file) => file.writeFile(`${JSON.stringify({ ...state, stoppedAt: endedAt })}\n`));
      } catch (error) {
        this.isChanged = true;
        throw error;
      }
    },
  };
}
