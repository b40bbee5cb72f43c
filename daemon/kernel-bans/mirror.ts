/** Copies bans and decisions of the threat feed to the kernel and keeps them current. */
import { setImmediate as turn } from 'node:timers/promises';
import { readPrefix } from '../address/prefix.ts';
import type { Ban, Bans } from '../bans/ban.ts';
import type { Decision } from '../feed/feed.ts';
import type { Holdings } from '../feed/holdings.ts';
import type { KernelBans, ListedChange } from './index.ts';

/** Bans that are copied in one turn of the event loop: about four milliseconds. */
const pageSize = 1000;

const endOfBan = ({ expiresAt }: Ban): number => expiresAt ?? Number.POSITIVE_INFINITY;
const lastEnd = (decisions: readonly Decision[]): number => Math.max(0, ...decisions.map(({ expiresAt }) => expiresAt));

function list({ listed }: KernelBans, source: ListedChange['source'], ip: string, until: number): void {
  const prefix = readPrefix(ip);
  if (prefix) listed({ source, prefix, until });
}

/** The decisions that are in force at the start come as changes, too. */
export function mirrorDecisions(decisions: Pick<Holdings, 'watch'>, kernelBans: KernelBans): void {
  decisions.watch((ip, held) => list(kernelBans, 'threatfeed', ip, lastEnd(held)));
}

/** Resolves when all bans are copied. */
export async function mirrorBans(bans: Pick<Bans, 'list' | 'watch'>, kernelBans: KernelBans): Promise<void> {
  bans.watch(({ kind, ban }) => list(kernelBans, 'ban', ban.ip, kind === 'banned' ? endOfBan(ban) : 0));
  let cursor: string | undefined;
  do {
    const page = bans.list({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    for (const ban of page.bans) list(kernelBans, 'ban', ban.ip, endOfBan(ban));
    cursor = page.cursor;
    await turn();
  } while (cursor !== undefined);
}
