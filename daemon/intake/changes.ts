/** Waits for changes of files by inotify, so that an idle daemon does not read their sizes all the time. */
import { watch } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { pause } from '../time/pause.ts';

/**
 * File systems that only this kernel changes, by their numbers in statfs(2): ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS
 * and F2FS. For others, such as NFS, inotify misses what other hosts change.
 */
const localTypes: ReadonlySet<number> = new Set([
  ...[0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0xf2f5_2010],
]);

const isLocal = (path: string): Promise<boolean> =>
  statfs(path).then(
    ({ type }) => localTypes.has(type),
    () => false,
  );

export class FileChanges {
  readonly #watchedMs: number;
  /** Aborted by the first change. */
  #change = AbortSignal.abort();
  #close = (): void => undefined;
  #watched = '';

  constructor(watchedMs: number = daemonBounds.intakeWatchedMs) {
    this.#watchedMs = watchedMs;
  }

  /**
   * Resolves when the files must be polled: they may have changed, or the time for a file that was replaced in a way that
   * inotify does not report is over. @param paths undefined: they cannot be watched now
   */
  async wait(paths: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
    const watched = paths?.join('\n') ?? '';
    if (!this.#change.aborted && watched === this.#watched)
      return pause(this.#watchedMs, AbortSignal.any([signal, this.#change]));
    this.close();
    // The poll after this pause finds what changed before the files were watched.
    const isWatched = paths !== undefined && (await this.#watch(paths));
    this.#watched = watched;
    return pause(isWatched ? daemonBounds.intakePollMs : daemonBounds.intakeIdleMs, signal);
  }

  /** Resolves with false when a file cannot be watched, such as one that does not exist. */
  async #watch(paths: readonly string[]): Promise<boolean> {
    if (!(await Promise.all(paths.map(isLocal))).every(Boolean)) return false;
    const change = new AbortController();
    const { signal } = change;
    const end = (): void => change.abort();
    [this.#change, this.#close] = [signal, end];
    try {
      for (const path of paths) watch(path, { persistent: false, signal }, end).on('error', end);
    } catch {
      end();
    }
    return !signal.aborted;
  }

  close(): void {
    this.#close();
  }
}
