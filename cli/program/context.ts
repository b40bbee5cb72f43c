import type { Readable } from 'node:stream';

/** An output. `isTTY` selects colors and live views, `columns` the width for wrapping. */
export interface Terminal {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** True while output is buffered in memory because the reader is slow. */
  readonly writableNeedDrain?: boolean;
  readonly on?: (event: 'drain' | 'error', listener: () => void) => unknown;
  readonly off?: (event: 'drain' | 'error', listener: () => void) => unknown;
}

/** Streams, variables, working directory, interruption and clock of a command. Tests replace them. */
export interface Context {
  readonly stdin: Readable;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /**
   * Aborted by Ctrl-C, SIGTERM and SIGHUP, and when the output cannot be written, for example after its reader closed
   * it.
   */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
