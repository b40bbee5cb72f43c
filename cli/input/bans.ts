/** Reads the ban list of `--ban-list`. */
import { resolve } from 'node:path';
import { banListBytes } from '../../contract/policy/ban-list.ts';
import { type BanTable, openBanTable } from '../../engine/ban-list.ts';
import { UsageError } from '../../platform/errors.ts';
import { readReason, readRegular } from '../../platform/regular-file.ts';
import type { Context } from '../program/context.ts';

/** Returns the table of a ban list, or why no guard would use the file. */
export async function readBanTable(file: string, { cwd }: Pick<Context, 'cwd'>): Promise<BanTable | string> {
  try {
    const table = openBanTable(await readRegular(resolve(cwd, file), banListBytes));
    return 'fault' in table ? table.fault : table;
  } catch (error) {
    return readReason(error);
  }
}

/** @throws UsageError when no guard would use the file */
export async function bansOf(file: string | undefined, context: Context): Promise<{ readonly bans?: BanTable }> {
  if (file === undefined) return {};
  const bans = await readBanTable(file, context);
  if (typeof bans !== 'string') return { bans };
  throw new UsageError(`the ban list ${file} cannot be used: ${bans}`, {
    code: 'bad_ban_list',
    hint: 'pass the file that bans.publish of tcp-guard names',
  });
}
