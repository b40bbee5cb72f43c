/** Copies bans and decisions of the threat feed to the kernel and keeps them current. */
import { setImmediate as turn } from 'node:timers/promises';
import { readPrefix } from '../address/prefix.ts';
import type { Ban, Bans } from '../bans/ban.ts';
import type { Decision } from '../feed/feed.ts';
import type { Holdings } from '../feed/holdings.ts';
import type { ListedChange } from './kernel-bans.ts';

/** The number of bans or prefixes that one turn of the event loop copies, in about four milliseconds. */
const pageSize = 1000;

const endOfBan = ({ expiresAt }: Ban): number => expiresAt ?? Number.POSITIVE_INFINITY;
const lastEnd = (decisions: readonly Decision[]): number => Math.max(0, ...decisions.map(({ expiresAt }) => expiresAt));

interface Sources {
  readonly bans: Pick<Bans, 'all' | 'watch'>;
  readonly decisions: Pick<Holdings, 'watch' | 'prefixes'>;
}

async function copyAll<Entry>(entries: Iterable<Entry>, list: (entry: Entry) => void): Promise<void> {
  let copied = 0;
  for (const entry of entries) {
    list(entry);
    if (++copied % pageSize === 0) await turn();
  }
}

/** Resolves when all entries were copied once. Changes are passed on as they happen. */
export function mirrorLists({ bans, decisions }: Sources, listed: (change: ListedChange) => void): Promise<void> {
  const list = (source: ListedChange['source'], ip: string, until: number) => {
    const prefix = readPrefix(ip);
    if (prefix) listed({ source, prefix, until });
  };
  const copyBans = () => copyAll(bans.all(), (ban) => list('ban', ban.ip, endOfBan(ban)));
  const listDecisions = (ip: string, held: readonly Decision[]) => list('threatfeed', ip, lastEnd(held));
  const copy = async () => {
    await copyBans();
    await copyAll(decisions.prefixes(), ([ip, held]) => listDecisions(ip, held));
  };
  bans.watch((change) => {
    if (change.kind === 'restored') void copyBans();
    else list('ban', change.ban.ip, change.kind === 'unbanned' ? 0 : endOfBan(change.ban));
  });
  decisions.watch(listDecisions);
  return copy();
}
