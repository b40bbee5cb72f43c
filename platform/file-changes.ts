/**
 * Waits until a file changes, appears or disappears. Polls, because editors and package managers replace files and
 * folders.
 */
import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const stateIn = ({ ino, mtimeMs, size }: Stats): string => `${ino} ${mtimeMs} ${size}`;
const absentState = 'absent';

function stateOf(path: string): string {
  try {
    return stateIn(statSync(path));
  } catch {
    return absentState;
  }
}

/** Watches files. Their states are recorded before the files are read, so that a change during the read counts. */
export interface Watched {
  /** Records the current state of a file, also of a file that was added before. */
  readonly add: (path: string) => void;
  /** Resolves after a change. @throws AbortError when the signal is aborted */
  readonly changed: (signal: AbortSignal) => Promise<void>;
  /** Calls `read` after each change until the signal is aborted, one call at a time. @throws like `changed` */
  readonly follow: (read: () => Promise<void>, signal: AbortSignal) => Promise<never>;
}

/** Creates a watcher. With `ref`, waiting keeps the process alive. */
export function watchFiles({ pollMs, ref }: { readonly pollMs: number; readonly ref: boolean }): Watched {
  const known = new Map<string, string>();
  const isUnchanged = async (): Promise<boolean> => {
    for (const [path, state] of known) {
      if (state !== (await stat(path).then(stateIn, () => absentState))) return false;
    }
    return true;
  };
  const add = (path: string) => void known.set(path, stateOf(path));
  const changed = async (signal: AbortSignal) => {
    while (await isUnchanged()) await sleep(pollMs, undefined, { signal, ref });
  };
  const follow = async (read: () => Promise<void>, signal: AbortSignal) => {
    for (;;) {
      await changed(signal);
      for (const path of known.keys()) add(path);
      await read();
    }
  };
  return { add, changed, follow };
}
