/** The bans as other components read them: which ban is in force for an address, and pages of all bans. */
import { readPrefix } from '../address/prefix.ts';
import type { Ban, BanPage, Bans } from './ban.ts';
import type { BanEvidence } from './evidence.ts';
import type { Exempt } from './exempt.ts';
import { type BanRecord, isDetected, toBan } from './records.ts';
import type { BanTable } from './table.ts';

type Questions = 'covers' | 'hasExactly' | 'isExempt' | 'covering' | 'detected' | 'spares';

interface ViewSources {
  readonly table: BanTable;
  readonly exempt: Exempt;
  readonly evidence: BanEvidence;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  readonly checkClock: () => void;
}

export class BanView implements Pick<Bans, Questions | 'list' | 'all' | 'count' | 'detectedCount'> {
  readonly #table: BanTable;
  readonly #exempt: Exempt;
  readonly #evidence: BanEvidence;
  readonly #now: () => number;
  readonly #checkClock: () => void;

  constructor({ table, exempt, evidence, now, checkClock }: ViewSources) {
    this.#table = table;
    this.#exempt = exempt;
    this.#evidence = evidence;
    this.#now = now;
    this.#checkClock = checkClock;
  }

  readonly covers = (ip: string): boolean => this.#table.covers(ip, this.#now()) && !this.#exempt.has(ip);

  readonly isExempt = (ip: string): boolean => this.#exempt.has(ip);

  readonly covering = (ip: string): Ban | undefined =>
    this.#exempt.has(ip) ? undefined : this.#table.covering(ip, this.#now());

  readonly detected = (ip: string): Ban | undefined =>
    this.#exempt.has(ip) ? undefined : this.#table.covering(ip, this.#now(), true);

  readonly hasExactly = (ip: string): boolean => {
    const prefix = readPrefix(ip);
    const record = prefix && this.#table.get(prefix);
    return record !== undefined && !isDetected(record) && record.expiresAt > this.#now();
  };

  readonly spares = (ip: string): boolean => {
    const prefix = readPrefix(ip);
    return prefix !== undefined && this.#exempt.hasAnyIn(prefix);
  };

  readonly list = ({ limit, cursor, ip }: { limit: number; cursor?: string; ip?: string }): BanPage => {
    this.#checkClock();
    const now = this.#now();
    const inner = ip === undefined ? undefined : readPrefix(ip);
    if (ip !== undefined)
      return {
        bans: inner ? this.#table.allCovering(inner, now).slice(0, limit).map(this.#toListed) : [],
        cursor: undefined,
      };
    const from = cursor === undefined ? undefined : readPrefix(cursor);
    const bans = this.#table.page(from, limit + 1, now).map(this.#toListed);
    const page = bans.slice(0, limit);
    return { bans: page, cursor: bans.length > limit ? page.at(-1)?.ip : undefined };
  };

  readonly #toListed = (record: BanRecord): Ban => {
    const ban = toBan(record);
    return { ...ban, evidence: this.#evidence.linesOf(ban.ip) };
  };

  readonly all = (): Iterable<Ban> => this.#table.bansInForce(this.#now);

  readonly count = (): number => {
    this.#checkClock();
    return this.#table.activeCount - this.#table.detectedCount;
  };

  readonly detectedCount = (): number => this.#table.detectedCount;
}
