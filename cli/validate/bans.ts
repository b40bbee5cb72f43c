import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Located } from '../../contract/load/check.ts';
import type { Problem } from '../../contract/load/problem.ts';
import { withPositions } from '../../contract/load/warnings/warning.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { readable } from '../../platform/escape.ts';
import { readReason } from '../../platform/regular-file.ts';
import { readBanTable } from '../input/bans.ts';
import type { Context } from '../program/context.ts';

const readByOthers = 0o004;
const enteredByOthers = 0o001;

/** Returns why a proxy with another user cannot read a file that this user can. */
async function closedTo(file: string): Promise<string | undefined> {
  const real = await realpath(file);
  for (const [path, needed] of [
    [real, readByOthers],
    [dirname(real), enteredByOthers],
  ] as const) {
    const { mode } = await stat(path);
    if ((mode & needed) === 0)
      return `other users may not read ${readable(path)}, whose mode is ${(mode & 0o777).toString(8)}`;
  }
  return undefined;
}

/** Warns when no guard on this machine would use the ban list of a policy. */
export async function banListWarnings(
  { banList }: Policy,
  located: Pick<Located, 'place'>,
  context: Context,
): Promise<Problem[]> {
  const table = banList && (await readBanTable(banList.file, context));
  if (!table) return [];
  const fault =
    typeof table === 'string' ? table : await closedTo(resolve(context.cwd, banList.file)).catch(readReason);
  if (fault === undefined) return [];
  const message = `the ban list cannot be used here: ${fault}`;
  const hint = 'tcp-guard writes it to bans.publish; its folder must be readable for the user of the proxy';
  return withPositions([{ kind: 'ban_list', path: ['banList', 'file'], message, hint }], located);
}
