import type { Located } from '../../contract/load/check.ts';
import type { Problem } from '../../contract/load/problem.ts';
import { withPositions } from '../../contract/load/warnings/warning.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { readBanTable } from '../input/bans.ts';
import type { Context } from '../program/context.ts';

/** Warns when no guard on this machine would use the ban list of a policy. */
export async function banListWarnings(
  { banList }: Policy,
  located: Pick<Located, 'place'>,
  context: Context,
): Promise<Problem[]> {
  const table = banList && (await readBanTable(banList.file, context));
  if (typeof table !== 'string') return [];
  const message = `the ban list cannot be used here: ${table}`;
  const hint = 'tcp-guard writes it to bans.publish; its folder must be readable for the user of the proxy';
  return withPositions([{ kind: 'ban_list', path: ['banList', 'file'], message, hint }], located);
}
