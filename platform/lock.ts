/** A lock between processes. The operating system releases it when its owner ends, however that happens. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder } from './folder.ts';

const pollMs = 200;
/** SQLITE_BUSY. */
const busy = 5;

/** Numbers of SQLite's errors about the file, with the word of the system for it. */
const systemCodes: ReadonlyMap<unknown, string> = new Map([
  [8, 'EROFS'],
  [10, 'EIO'],
  [13, 'ENOSPC'],
  [14, 'EACCES'],
]);

/** An error of SQLite about the file as one of the system, which callers distinguish from a bug. */
function systemError(error: unknown, path: string): unknown {
  const { errcode, message } = error as Error & { readonly errcode?: unknown };
  const code = systemCodes.get(errcode);
  return code ? Object.assign(new Error(`${code}: ${message}, ${path}`, { cause: error }), { code }) : error;
}

function openDatabase(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw systemError(error, path);
  }
}

/**
 * An exclusive transaction of SQLite is a lock of the operating system on the file. A pid in a file would not do: after a
 * reboot, and in another container, the same number belongs to another process. The file stays, empty.
 */
function tryTake(file: string): (() => void) | undefined {
  const path = `${file}.lock`;
  const database = openDatabase(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === busy) return undefined;
    throw systemError(error, path);
  }
}

/** As the owner wrote it; between taking the lock and writing this, it may be the owner before. */
function ownerOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once, when there is a wait, with a clause that says for which process. */
  readonly onWait?: ((note: string) => void) | undefined;
}

/** Waits for the lock and returns what releases it. @throws the error of the system */
export async function takeLock(file: string, options: LockOptions = {}): Promise<() => void> {
  makeFolder(dirname(file));
  for (let waited = false; ; waited = true) {
    const release = tryTake(file);
    if (release) {
      try {
        writeFileSync(file, String(process.pid));
      } catch (error) {
        release();
        throw error;
      }
      return release;
    }
    if (!waited)
      options.onWait?.(`waiting for process ${ownerOf(file) ?? 'unknown'}, which is already running this step`);
    await delay(pollMs, undefined, options.signal ? { signal: options.signal } : {});
  }
}
