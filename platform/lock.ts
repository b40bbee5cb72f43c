/** A lock between processes: a file that names its owner, taken over when the owner is no longer alive. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 200;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownerOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A hard link appears with its content at once, so no reader ever sees a lock without an owner. */
function tryTake(file: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves a dead owner's lock away; one that was taken anew in between is put back. */
function removeStale(file: string): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
    const owner = ownerOf(aside);
    if (owner !== undefined && isAlive(owner)) linkSync(aside, file);
  } catch {
    // Somebody else was quicker; the next try sees what is true now.
  } finally {
    rmSync(aside, { force: true });
  }
}

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once, with the pid of the owner, when there is a wait. */
  readonly onWait?: (owner: number) => void;
}

/** Waits for the lock and returns what releases it. */
export async function takeLock(file: string, options: LockOptions = {}): Promise<() => void> {
  mkdirSync(dirname(file), { recursive: true });
  for (let waited = false; !tryTake(file); ) {
    const owner = ownerOf(file);
    if (owner === undefined) continue;
    if (!isAlive(owner)) {
      removeStale(file);
      continue;
    }
    if (!waited) options.onWait?.(owner);
    waited = true;
    await delay(pollMs, undefined, options.signal ? { signal: options.signal } : {});
  }
  return () => rmSync(file, { force: true });
}
