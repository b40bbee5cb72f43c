/** Waits until a file changes, appears or disappears. Polls, because editors replace files and folders. */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 200;

function stateOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return 'absent';
  }
}

/** States of files from before they are read, so that a change while they are read counts. */
export interface Watched {
  readonly add: (path: string) => void;
  /** Resolves after a change. @throws the reason of the signal when it is aborted */
  readonly changed: (signal: AbortSignal) => Promise<void>;
}

export function watchFiles(): Watched {
  const known = new Map<string, string>();
  return {
    add: (path) => void known.set(path, stateOf(path)),
    changed: async (signal) => {
      while ([...known].every(([path, state]) => state === stateOf(path))) {
        await sleep(pollMs, undefined, { signal });
      }
    },
  };
}
