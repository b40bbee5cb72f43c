/** The table of every ban, in memory. Each new connection looks its client up here. */

import { type Prefix, readAddress } from '../address/prefix.ts';
import { mostCoveringPrefixes, PrefixMap } from '../address/prefix-map.ts';
import type { Ban } from './ban.ts';
import { type BanRecord, Records, sortKeyOf } from './records.ts';

export class BanTable {
  readonly #records = new Records();
  readonly #ids = new PrefixMap();
  readonly #words = new Uint32Array(4); // scratch space of lookups
  readonly #foundIds = new Uint32Array(mostCoveringPrefixes); // scratch space of lookups
  #size = 0;
  #activeCount = 0;
  #detectedCount = 0;

  /** The number of bans in force and of ended bans that are remembered. */
  get size(): number {
    return this.#size;
  }

  /** The number of bans whose end was not noticed yet. */
  get activeCount(): number {
    return this.#activeCount;
  }

  /** The part of `activeCount` that is not enforced. */
  get detectedCount(): number {
    return this.#detectedCount;
  }

  /** The record of exactly this address or network. */
  get(prefix: Prefix): BanRecord | undefined {
    const id = this.#ids.get(prefix);
    return id < 0 ? undefined : this.#records.get(id);
  }

  set(record: BanRecord): void {
    const id = this.#ids.get(record.prefix);
    if (id < 0) {
      this.#ids.set(record.prefix, this.#records.add(record));
      this.#size++;
    } else {
      if (!this.#records.hasEnded(id)) this.#countActive(id, -1);
      this.#records.update(id, record);
    }
    this.#countActive(this.#ids.get(record.prefix), 1);
  }

  #countActive(id: number, change: 1 | -1): void {
    this.#activeCount += change;
    if (this.#records.isDetected(id)) this.#detectedCount += change;
  }

  /** Like `set`, for records of the store. Listeners that were not notified of a ban are not notified of its end. */
  restore(record: BanRecord, now: number): void {
    const existingId = this.#ids.get(record.prefix);
    const isKnown = existingId >= 0 && !this.#records.hasEnded(existingId);
    this.set(record);
    if (record.expiresAt <= now && !isKnown) this.#end(this.#ids.get(record.prefix));
  }

  delete(prefix: Prefix): void {
    const id = this.#ids.get(prefix);
    if (id < 0) return;
    this.#ids.delete(prefix);
    this.#size--;
    if (!this.#records.hasEnded(id)) this.#countActive(id, -1);
    this.#records.delete(id);
  }

  /** Whether an enforced ban covers an address. */
  covers(ip: string, now: number): boolean {
    return this.#longestId(ip, now) >= 0;
  }

  /** The ban that covers an address and lasts longest: of those that are enforced, or of those that are detected. */
  covering(ip: string, now: number, areDetected = false): Ban | undefined {
    const longest = this.#longestId(ip, now, areDetected);
    return longest < 0 ? undefined : this.#records.banOf(longest);
  }

  #longestId(ip: string, now: number, areDetected = false): number {
    const family = readAddress(ip, this.#words);
    if (family === 0) return -1;
    const count = this.#ids.covering(family, this.#words, mostCoveringPrefixes, this.#foundIds);
    let longest = -1;
    let end = now;
    for (let index = 0; index < count; index++) {
      const id = this.#foundIds[index] as number;
      if (this.#records.expiresAt(id) <= end || this.#records.isDetected(id) !== areDetected) continue;
      longest = id;
      end = this.#records.expiresAt(id);
    }
    return longest;
  }

  /** All bans that cover an address or network, widest first. */
  allCovering({ family, words, length }: Prefix, now: number): BanRecord[] {
    const count = this.#ids.covering(family, words, length, this.#foundIds);
    const ids = [...this.#foundIds.subarray(0, count)];
    return ids.filter((id) => this.#records.expiresAt(id) > now).map((id) => this.#records.get(id));
  }

  /** The first `limit` bans after `from`, sorted by address. */
  page(from: Prefix | undefined, limit: number, now: number): BanRecord[] {
    const records = this.#records;
    const order = (a: number, b: number) => records.compare(a, b);
    let chosen: number[] = [];
    let last = -1; // set when `chosen` was cut to `limit` records: records after this one are skipped
    const first = from ? sortKeyOf(from.family, from.words[0] as number) : 0;
    let furthest = Number.POSITIVE_INFINITY;
    for (
      let id = records.nextWithin(0, first, furthest);
      id < records.end;
      id = records.nextWithin(id + 1, first, furthest)
    ) {
      if (records.expiresAt(id) <= now || (from && !records.isAfter(id, from))) continue;
      if (last >= 0 && records.compare(id, last) > 0) continue;
      chosen.push(id);
      if (chosen.length < limit * 2) continue;
      chosen = chosen.sort(order).slice(0, limit);
      last = chosen[limit - 1] as number;
      furthest = records.sortKeyOf(last);
    }
    return chosen
      .sort(order)
      .slice(0, limit)
      .map((id) => records.get(id));
  }

  /** Every enforced ban, unsorted. The table may change during the iteration. */
  *bansInForce(now: () => number): Generator<Ban> {
    const records = this.#records;
    for (let id = 0; id < records.end; id++)
      if (records.has(id) && !records.isDetected(id) && records.expiresAt(id) > now()) yield records.banOf(id);
  }

  *all(): Generator<BanRecord> {
    for (let id = 0; id < this.#records.end; id++) if (this.#records.has(id)) yield this.#records.get(id);
  }

  /**
   * Yields matching bans that are in force or whose end was not noticed yet. The table may change during the iteration.
   */
  *matchingBans(isOne: (prefix: Prefix, isDetected: boolean) => boolean, now: () => number): Generator<BanRecord> {
    const records = this.#records;
    for (let id = 0; id < records.end; id++) {
      const isOver = records.hasEnded(id) && records.expiresAt(id) <= now();
      if (records.has(id) && !isOver && isOne(records.prefix(id), records.isDetected(id))) yield records.get(id);
    }
  }

  forgetEnded(limit: number): Prefix[] {
    const prefixes: Prefix[] = [];
    for (let id = 0; id < this.#records.end && prefixes.length < limit; id++)
      if (this.#records.has(id) && this.#records.hasEnded(id)) prefixes.push(this.#records.prefix(id));
    return this.#forget(prefixes);
  }

  /** Ends and forgets at most `limit` expired records. `next`: when to sweep again, milliseconds since the epoch. */
  sweep(now: number, limit: number): { ended: BanRecord[]; forgotten: Prefix[]; next: number } {
    const records = this.#records;
    const [ended, forgotten]: [BanRecord[], Prefix[]] = [[], []];
    let next = Number.POSITIVE_INFINITY;
    let left = limit;
    for (let id = 0; id < records.end; id++) {
      if (!records.has(id)) continue;
      const isOver = records.expiresAt(id) <= now;
      const until = isOver ? records.rememberedUntil(id) : records.expiresAt(id);
      const hasJustEnded = isOver && !records.hasEnded(id);
      if ((hasJustEnded || until <= now) && left-- === 0)
        return { ended, forgotten: this.#forget(forgotten), next: now };
      if (hasJustEnded) ended.push(this.#end(id));
      if (until <= now) forgotten.push(records.prefix(id));
      else next = Math.min(next, until);
    }
    return { ended, forgotten: this.#forget(forgotten), next };
  }

  #end(id: number): BanRecord {
    this.#records.setEnded(id);
    this.#countActive(id, -1);
    return this.#records.get(id);
  }

  #forget(prefixes: Prefix[]): Prefix[] {
    for (const prefix of prefixes) this.delete(prefix);
    return prefixes;
  }
}
