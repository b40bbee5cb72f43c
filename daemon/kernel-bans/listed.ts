/** Reads and deletes the table that the kernel has. */
import { nft } from './nft.ts';
import { table } from './ruleset.ts';

/** Whether a listed table was written by any tcp-guard. */
export const isOurs = (listed: string): boolean => /^\tchain bans_[0-9a-f]{16} \{$/m.test(listed);

/** The table in the text of `nft list ruleset`, without the values of its counters. Empty: there is none. */
export function tableIn(ruleset: string): string {
  const [text = ''] = new RegExp(`^table ${table} \\{\\n(?:.*\\n)*?\\}$`, 'm').exec(ruleset) ?? [];
  return text;
}

const counterForm = /counter (\w+) \{\s+packets (\d+) bytes \d+/g;

export const withoutCounts = (listed: string): string => listed.replace(counterForm, 'counter $1 {');

/** Packets by counter. */
export const countsIn = (listed: string): ReadonlyMap<string, number> =>
  new Map([...listed.matchAll(counterForm)].map(([, name = '', packets]) => [name, Number(packets)]));

/** The number of rules in a listed table. */
export const ruleCount = (listed: string): number =>
  listed.match(/^\t\t.*(?:accept|drop|(?:goto|jump) \w+|counter name "?\w+"?|add @\w+ \{ .* \})$/gm)?.length ?? 0;

/** The table without its elements. Commands that list one table read all of its elements first. */
export const listTable = async (): Promise<string> => tableIn(await nft(['--terse', 'list', 'ruleset', 'inet']));

export const foreignText = (found: string): string =>
  `the table ${table} belongs to ${isOurs(found) ? 'a tcp-guard with another global.data_dir' : 'another program'}. ` +
  `If nothing needs it, delete it: nft delete table ${table}`;

export const deleteTable = (): Promise<string> => nft(['delete', 'table', ...table.split(' ')]);

/** Deletes the table of any tcp-guard. Resolves with false when there is none. @throws Error */
export async function flushTable(): Promise<boolean> {
  const found = await listTable();
  if (found === '') return false;
  if (!isOurs(found)) throw new Error(foreignText(found));
  await deleteTable();
  return true;
}
