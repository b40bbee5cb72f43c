/**
 * Sends all bans, decisions and failing clients to one worker, then changes of bans and decisions. Changes of decisions
 * and expired bans are sent in pages, as fast as the worker reads. Other changes of a ban are sent immediately.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Gates } from '../../admission/gates/index.ts';
import type { BanChange, Bans } from '../../bans/ban.ts';
import type { Decision } from '../../feed/feed.ts';
import type { Holdings } from '../../feed/holdings.ts';
import type { FailingMessage, PrefixDecisions, ReplicaMessage } from '../link/messages.ts';

const banMessage = ({ kind, ban: { ip, expiresAt } }: Exclude<BanChange, { kind: 'restored' }>): ReplicaMessage =>
  kind === 'unbanned' ? { kind, ip } : { kind: 'banned', ip, expiresAt };

export interface ReplicaSource {
  readonly bans: Pick<Bans, 'all' | 'watch' | 'checkClock'>;
  readonly decisions: Pick<Holdings, 'watch' | 'prefixes'>;
  readonly failing: Gates['failing'];
}

interface ReplicaLink {
  readonly post: (message: ReplicaMessage | FailingMessage) => void;
  readonly untilDrained: () => Promise<void>;
  readonly hasEnded: () => boolean;
}

/** The number of entries that are sent in one turn of the event loop: about 60 KB. */
const pageSize = 1000;

const packDecisions = (ip: string, decisions: readonly Decision[]): PrefixDecisions => [
  ip,
  ...decisions.map(({ type, origin, expiresAt }) => [type, origin, expiresAt] as const),
];

export class Replication {
  readonly #link: ReplicaLink;
  readonly #source: ReplicaSource;
  /** Unsent changes of decisions, by prefix. A slow worker gets only the last state of each prefix. */
  readonly #changedDecisions = new Map<string, readonly Decision[]>();
  /** Addresses of expired bans that were not sent yet. The worker reads the clock too, so these are sent last. */
  readonly #expiredBans = new Set<string>();
  #isSending = false;

  constructor(source: ReplicaSource, link: ReplicaLink) {
    this.#source = source;
    this.#link = link;
  }

  /** Sends all bans, decisions and failing clients. Resolves when their messages are queued. */
  async sendAll(): Promise<void> {
    await this.#sendBans();
    await this.#sendFailing();
    for (const [ip, decisions] of this.#source.decisions.prefixes()) {
      if (this.#link.hasEnded()) return;
      this.#changedDecisions.set(ip, decisions);
      if (this.#changedDecisions.size >= pageSize) await this.#flush();
    }
    while (this.#changedDecisions.size > 0) await this.#flush();
  }

  async #sendBans(): Promise<void> {
    let sent = 0;
    for (const ban of this.#source.bans.all()) {
      this.#link.post(banMessage({ kind: 'banned', ban }));
      if (++sent % pageSize > 0) continue;
      await this.#link.untilDrained();
      if (this.#link.hasEnded()) return;
    }
    await this.#link.untilDrained();
  }

  async #sendFailing(): Promise<void> {
    const keys = [...this.#source.failing()];
    while (keys.length > 0 && !this.#link.hasEnded()) {
      this.#link.post({ kind: 'failing', keys: keys.splice(0, pageSize) });
      await this.#link.untilDrained();
    }
  }

  readonly onBanChange = (change: BanChange): void => {
    if (change.kind === 'restored') void this.#sendBans();
    else if (change.kind === 'unbanned' && change.why === 'expired') this.#expire(change.ban.ip);
    else {
      this.#expiredBans.delete(change.ban.ip);
      this.#link.post(banMessage(change));
    }
  };

  #expire(ip: string): void {
    if (this.#link.hasEnded()) return;
    this.#expiredBans.add(ip);
    void this.#send();
  }

  readonly onDecisions = (ip: string, decisions: readonly Decision[]): void => {
    if (this.#link.hasEnded()) return;
    this.#changedDecisions.set(ip, decisions);
    void this.#send();
  };

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    await turn(); // collect the changes of one turn of the event loop
    while (this.#changedDecisions.size + this.#expiredBans.size > 0) await this.#flush();
    this.#isSending = false;
  }

  async #flush(): Promise<void> {
    const changes: PrefixDecisions[] = [];
    for (const [ip, decisions] of this.#changedDecisions) {
      if (changes.length === pageSize) break;
      changes.push(packDecisions(ip, decisions));
      this.#changedDecisions.delete(ip);
    }
    if (changes.length > 0) this.#link.post({ kind: 'decisions', changes });
    this.#flushExpired();
    await this.#link.untilDrained();
  }

  #flushExpired(): void {
    let left = pageSize;
    for (const ip of this.#expiredBans) {
      if (left-- === 0) return;
      this.#expiredBans.delete(ip);
      this.#link.post({ kind: 'unbanned', ip });
    }
  }
}
