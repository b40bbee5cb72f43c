/** A lock between processes. The operating system releases it when its owner ends, even after a crash. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder } from './folder.ts';

const pollMs = 200;
/** Number of the error SQLITE_BUSY. */
const busyCode = 5;

/** SQLite's error numbers for file errors, with the system's codes. */
const systemCodes: ReadonlyMap<unknown, string> = new Map([
  [8, 'EROFS'],
  [10, 'EIO'],
  [13, 'ENOSPC'],
  [14, 'EACCES'],
]);

/** Converts an error of SQLite about the file to a system error. */
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
 * Tries to lock the file with an exclusive transaction of SQLite, which the system ends with the process. Does not test
 * whether the stored process id exists: it can belong to another process. Returns undefined when the lock is busy.
 */
function tryAcquire(file: string): (() => void) | undefined {
  const path = `${file}.lock`;
  const database = openDatabase(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === busyCode) return undefined;
    throw systemError(error, path);
  }
}

/**
 * Returns the process id that the owner wrote. Until a new owner has written its id, this is the id of the previous
 * owner.
 */
function ownerOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once if the lock is busy, with a clause that names its owner. */
  readonly onWait?: ((note: string) => void) | undefined;
}

/**
 * Waits for the lock. Returns a function that releases it. @throws the error of the system, or AbortError when the
 * signal is aborted while it waits
 */
export async function acquireLock(file: string, options: LockOptions = {}): Promise<() => void> {
  makeFolder(dirname(file));
  for (let waited = false; ; waited = true) {
    const release = tryAcquire(file);
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
