/**
 * A worker's copy of the bans, kept current by changes, so that a banned client costs the coordinator no decision and is
 * refused while it hangs. It may lack a ban: the coordinator decides on all other connections.
 */
import { NetworkIndex } from '../address/network-index.ts';
import { readPrefix } from '../address/prefix.ts';
import type { BanChange, Bans } from '../bans/ban.ts';

export type BanMessage =
  | { readonly kind: 'banned'; readonly ip: string; readonly expiresAt: number | null }
  | { readonly kind: 'unbanned'; readonly ip: string };

export const banMessage = ({ kind, ban: { ip, expiresAt } }: BanChange): BanMessage =>
  kind === 'banned' ? { kind, ip, expiresAt } : { kind, ip };

/** Bans that are sent in one turn of the event loop. */
const pageSize = 1000;

/** All bans, as messages. `pause` waits until a page was handed over. Bans that change meanwhile can be missing or outdated. */
export async function sendAll(
  bans: Pick<Bans, 'list'>,
  send: (message: BanMessage) => void,
  pause: () => Promise<void>,
): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = bans.list({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    for (const ban of page.bans) send(banMessage({ kind: 'banned', ban }));
    cursor = page.cursor;
    await pause();
  } while (cursor !== undefined);
}

export class BanReplica {
  readonly #ends = new NetworkIndex<number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  take(message: BanMessage): void {
    const prefix = readPrefix(message.ip);
    if (!prefix) return;
    if (message.kind === 'banned') this.#ends.set(prefix, message.expiresAt ?? Number.POSITIVE_INFINITY);
    else this.#ends.delete(prefix);
  }

  covers(ip: string): boolean {
    const now = this.#now();
    return this.#ends.covering<boolean>(ip, (end, isCovered) => isCovered || end > now) === true;
  }
}
