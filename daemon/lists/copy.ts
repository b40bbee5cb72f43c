/** The last content of a list on disk, for a start without its server. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { readRegular, replaceFile } from '../../platform/regular-file.ts';
import { isDateMs } from '../time/date.ts';
import type { Counts } from './content.ts';

export interface Copy extends Counts {
  /** Milliseconds since the epoch. */
  readonly readAt: number;
  readonly column: number | null;
  readonly entries: readonly string[];
}

/** A copy has no more bytes: each entry has at most 49, with quotes and a comma. */
const mostBytes = 64 * daemonBounds.listEntries;

const folderOf = (dataDir: string): string => join(dataDir, 'lists');
const nameOf = (list: string): string => `${createHash('sha256').update(list).digest('hex').slice(0, 32)}.json`;

const Stored = z.object({
  readAt: z.number().check(z.refine(isDateMs)),
  column: z.nullable(z.int()),
  entries: z.array(z.string()),
  unread: z.int(),
  ownNetworks: z.int(),
  tooWide: z.int(),
  edges: z.int(),
});

/** Resolves with undefined when there is no copy that this program has written. */
export async function readCopy(dataDir: string, list: string): Promise<Copy | undefined> {
  try {
    const bytes = await readRegular(join(folderOf(dataDir), nameOf(list)), mostBytes);
    return Stored.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}

export async function writeCopy(dataDir: string, list: string, copy: Copy): Promise<void> {
  const path = join(folderOf(dataDir), nameOf(list));
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  await replaceFile(path, (file) => file.writeFile(JSON.stringify(copy)));
}

/** Deletes the copies of lists that are no longer configured. */
export async function removeOtherCopies(dataDir: string, lists: readonly string[]): Promise<void> {
  const kept = new Set(lists.map(nameOf));
  const files = await readdir(folderOf(dataDir)).catch(() => []);
  for (const file of files) if (!kept.has(file)) await rm(join(folderOf(dataDir), file), { force: true });
}
