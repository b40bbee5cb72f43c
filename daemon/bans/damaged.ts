/** Renames damaged ban stores to `.recovering-`, and to `.damaged-` once a new store has their bans. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const suffixes = ['', '-wal', '-shm'];
const unreadMark = '.recovering-';
const keptMark = '.damaged-';

function renameFiles(from: string, to: string, order: readonly string[]): boolean {
  const left = order.filter((suffix) => existsSync(from + suffix));
  for (const suffix of left) renameSync(from + suffix, to + suffix);
  return left.length > 0;
}

export const keptName = (store: string): string => store.replace(unreadMark, keptMark);

/**
 * Renames a damaged store to `.recovering-`. Returns the new path, or undefined when no file exists. The database is
 * renamed first: after a kill, the next start finds it and renames the other files.
 */
export function setAside(path: string, now: number): string | undefined {
  const asidePath = path + unreadMark + new Date(now).toISOString().replaceAll(/[-:]/g, '');
  return renameFiles(path, asidePath, suffixes) ? asidePath : undefined;
}

/**
 * Renames a recovered store. Returns the new path. Renames the database last: after an earlier kill, the next start
 * recovers the store again.
 */
export function markRecovered(store: string): string {
  renameFiles(store, keptName(store), suffixes.toReversed());
  return keptName(store);
}

/**
 * Finds the damaged stores whose bans may not be in `path` yet. Completes an interrupted renaming, so call it before
 * `path` is opened.
 */
export function unreadStores(path: string): string[] {
  if (!existsSync(dirname(path))) return [];
  const isUnread = (name: string) => name.startsWith(basename(path) + unreadMark) && !/-(?:wal|shm)$/.test(name);
  const stores = readdirSync(dirname(path))
    .filter(isUnread)
    .sort()
    .map((name) => join(dirname(path), name));
  const last = stores.at(-1);
  if (last && !existsSync(path) && !existsSync(`${last}-wal`)) renameFiles(path, last, suffixes);
  return stores;
}
