/** The world of a command, and what it prints to. */
import type { Readable } from 'node:stream';

/** What we print to. `isTTY` decides about colour and live views, `columns` about wrapping. */
export interface Terminal {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Whether the reader is behind and what is written waits in memory. */
  readonly writableNeedDrain?: boolean;
  readonly on?: (event: 'drain' | 'error', listener: () => void) => unknown;
  readonly off?: (event: 'drain' | 'error', listener: () => void) => unknown;
}

/** The world of a command: nothing else of the process is read. */
export interface Context {
  readonly stdin: Readable;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl-C, SIGTERM, SIGHUP and by a reader of our output that went away. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
