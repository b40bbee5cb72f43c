/** Reads the ban list of `--ban-list`. */
import { resolve } from 'node:path';
import { banListBytes } from '../../contract/policy/ban-list.ts';
import { type BanTable, openBanTable } from '../../engine/ban-list.ts';
import { UsageError } from '../../platform/errors.ts';
import { readReason, readRegular } from '../../platform/regular-file.ts';
import type { Context } from '../program/context.ts';

/** A ban list and its bytes. */
interface ReadBans {
  readonly bytes: Buffer;
  readonly table: BanTable;
}

/** Returns a ban list, or why no guard would use the file. */
async function readBans(file: string, { cwd }: Pick<Context, 'cwd'>): Promise<ReadBans | string> {
  try {
    const bytes = await readRegular(resolve(cwd, file), banListBytes);
    const table = openBanTable(bytes);
    return 'fault' in table ? table.fault : { bytes, table };
  } catch (error) {
    return readReason(error);
  }
}

/** Returns the table of a ban list, or why no guard would use the file. */
export async function readBanTable(file: string, context: Pick<Context, 'cwd'>): Promise<BanTable | string> {
  const bans = await readBans(file, context);
  return typeof bans === 'string' ? bans : bans.table;
}

/** @throws UsageError when no guard would use the file */
export async function requireBans(file: string, context: Pick<Context, 'cwd'>): Promise<ReadBans> {
  const bans = await readBans(file, context);
  if (typeof bans !== 'string') return bans;
  throw new UsageError(`the ban list ${file} cannot be used: ${bans}`, {
    code: 'bad_ban_list',
    hint: 'pass the file that bans.publish of tcp-guard names',
  });
}

/** @throws UsageError when no guard would use the file */
export async function bansOf(file: string | undefined, context: Context): Promise<{ readonly bans?: BanTable }> {
  return file === undefined ? {} : { bans: (await requireBans(file, context)).table };
}
