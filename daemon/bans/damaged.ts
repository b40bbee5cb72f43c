/** Damaged ban stores. They are kept for inspection, and under another name until a new store has their bans. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** SQLite's files of one store. The last rename of an interrupted series is that of the log, or of the database. */
const suffixes = ['', '-wal', '-shm'];
const unread = '.recovering-';
const kept = '.damaged-';

function rename(from: string, to: string, order: readonly string[]): boolean {
  const left = order.filter((suffix) => existsSync(from + suffix));
  for (const suffix of left) renameSync(from + suffix, to + suffix);
  return left.length > 0;
}

/** The name under which a damaged store is kept. */
export const keptName = (store: string): string => store.replace(unread, kept);

/** Renames a damaged store, so that a start after a kill finds it, and returns its new path. Undefined: no file is left. */
export function setAside(path: string, now: number): string | undefined {
  const aside = path + unread + new Date(now).toISOString().replaceAll(/[-:]/g, '');
  return rename(path, aside, suffixes) ? aside : undefined;
}

/** Renames a damaged store whose bans are in a new one, and returns its new path. The database is last: without it nothing is read. */
export function keep(store: string): string {
  rename(store, keptName(store), suffixes.toReversed());
  return keptName(store);
}

/** The damaged stores of `path` whose bans may not be in it yet. Called before `path` is opened, it ends an interrupted renaming. */
export function unreadStores(path: string): string[] {
  if (!existsSync(dirname(path))) return [];
  const isUnread = (name: string) => name.startsWith(basename(path) + unread) && !/-(?:wal|shm)$/.test(name);
  const stores = readdirSync(dirname(path))
    .filter(isUnread)
    .sort()
    .map((name) => join(dirname(path), name));
  const last = stores.at(-1);
  if (last && !existsSync(path) && !existsSync(`${last}-wal`)) rename(path, last, suffixes);
  return stores;
}
