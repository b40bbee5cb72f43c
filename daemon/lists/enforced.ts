/**
 * Bans and lists as one: what refuses connections, in this process, in workers, in the kernel and in the firewall of the
 * host, gets the entries of lists as bans. Records, the store and CrowdSec get bans only.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Ban, BanChange, Bans } from '../bans/ban.ts';
import type { ListTable } from './table.ts';

export function withLists(bans: Bans, lists: ListTable, now: () => number): Bans {
  const listedBan = (ip: string): Ban => {
    const bannedAt = now();
    const reason = 'listed';
    return { ip, reason, service: null, origin: 'api', bannedAt, expiresAt: bannedAt + daemonBounds.listHoldMs };
  };

  function* all(): Generator<Ban> {
    yield* bans.all();
    for (const ip of lists.banned()) if (!bans.hasExactly(ip)) yield listedBan(ip);
  }

  const watch = (listener: (change: BanChange) => void): (() => void) => {
    const stopBans = bans.watch((change) => {
      if (change.kind === 'unbanned' && lists.hasExactly(change.ban.ip))
        listener({ kind: 'banned', ban: listedBan(change.ban.ip) });
      else listener(change);
    });
    const stopLists = lists.watch((ip, isListed) => {
      if (bans.hasExactly(ip)) return;
      if (isListed) listener({ kind: 'banned', ban: listedBan(ip) });
      else listener({ kind: 'unbanned', ban: listedBan(ip), why: 'unlisted' });
    });
    return () => {
      stopLists();
      stopBans();
    };
  };
  const covers = (ip: string): boolean => bans.covers(ip) || (lists.covers(ip) && !bans.isExempt(ip));
  return { ...bans, all: () => all(), watch, covers };
}
