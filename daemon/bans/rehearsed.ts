/** Bans in memory only, for a rehearsal on old logs. Terms and exceptions are those of the store. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { isTooWide, isUnspecified, readPrefix } from '../address/prefix.ts';
import type { Ban, BanOutcome, BanRequest, Bans } from './ban.ts';
import { createExempt, type Exempt } from './exempt.ts';
import { toBan } from './records.ts';
import { BanTable } from './table.ts';
import { nextState, termsOf } from './terms.ts';

interface RehearsedOptions {
  readonly config: Daemon;
  readonly now: () => number;
  readonly onBan: (ban: Ban) => void;
}

export class RehearsedBans implements Pick<Bans, 'add' | 'covers' | 'covering' | 'detected' | 'watchAll'> {
  readonly #table = new BanTable();
  readonly #exempt: Exempt;
  readonly #terms;
  readonly #now: () => number;
  readonly #onBan: (ban: Ban) => void;

  constructor({ config, now, onBan }: RehearsedOptions) {
    this.#exempt = createExempt(config.global.never_ban);
    this.#terms = termsOf(config);
    this.#now = now;
    this.#onBan = onBan;
  }

  readonly covers = (ip: string): boolean => this.#table.covers(ip, this.#now()) && !this.#exempt.has(ip);

  readonly covering = (ip: string): Ban | undefined =>
    this.#exempt.has(ip) ? undefined : this.#table.covering(ip, this.#now());

  readonly add = async (request: BanRequest): Promise<BanOutcome> => {
    const prefix = readPrefix(request.ip);
    if (!prefix || isTooWide(prefix) || isUnspecified(prefix)) return { ok: false, refusal: 'bad_address' };
    if (this.#exempt.covers(prefix)) return { ok: false, refusal: 'never_ban' };
    const existing = this.#table.get(prefix);
    if (!existing && this.#table.size >= daemonBounds.bans) return { ok: false, refusal: 'too_many' };
    const now = this.#now();
    const state = nextState(existing, request, this.#terms, now);
    const { reason, origin, service = null } = request;
    const record = { prefix, bannedAt: now, ...state, reason, origin, service };
    this.#table.set(record);
    const ban = toBan(record);
    this.#onBan(ban);
    return { ok: true, ban, isDurable: false };
  };

  /** All bans are rehearsed as if they were enforced, in mode detect too. */
  readonly detected = (): undefined => undefined;

  readonly watchAll = (): (() => void) => () => undefined;
}
