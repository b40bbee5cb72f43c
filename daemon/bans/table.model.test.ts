import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { covers, formatPrefix, type Prefix, readPrefix } from '../address/prefix.ts';
import type { BanRecord } from './records.ts';
import { BanTable } from './table.ts';
import { createNumbers, type Numbers, sampleRecord } from './testing/samples.ts';

const prefixOf = (text: string): Prefix => readPrefix(text) as Prefix;

/** A random prefix from a small set, so that prefixes repeat and networks overlap. */
function someAddress(below: Numbers): string {
  if (below(2) === 0) return `10.${below(3)}.${below(4)}.${below(64)}`;
  return `2001:db8:${below(3)}:${below(4)}::${below(32).toString(16)}`;
}

function someNetwork(below: Numbers): string {
  const address = someAddress(below);
  if (below(3) > 0) return address;
  return address.includes(':') ? `${address}/${32 + below(97)}` : `${address}/${8 + below(25)}`;
}

/** A table of bans that is simple and slow. The test compares the real one with it. */
class Model {
  readonly records = new Map<string, BanRecord>();
  /** Bans whose end was noticed. */
  readonly ended = new Set<string>();

  set(record: BanRecord): void {
    const ip = formatPrefix(record.prefix);
    this.records.set(ip, record);
    this.ended.delete(ip);
  }

  delete(ip: string): void {
    this.records.delete(ip);
    this.ended.delete(ip);
  }

  covering(ip: string, now: number): number | undefined {
    const inner = prefixOf(ip);
    const ends = [...this.records.values()]
      .filter(({ prefix, expiresAt }) => expiresAt > now && covers(prefix, inner))
      .map(({ expiresAt }) => expiresAt);
    return ends.length > 0 ? Math.max(...ends) : undefined;
  }

  sweep(now: number): { ended: string[]; forgotten: string[] } {
    const over = [...this.records].filter(([, { expiresAt }]) => expiresAt <= now);
    const ended = over.map(([ip]) => ip).filter((ip) => !this.ended.has(ip));
    const forgotten = over.filter(([, { rememberedUntil }]) => rememberedUntil <= now).map(([ip]) => ip);
    for (const ip of ended) this.ended.add(ip);
    for (const ip of forgotten) this.delete(ip);
    return { ended, forgotten };
  }
}

class Trial {
  readonly table = new BanTable();
  readonly model = new Model();
  readonly below = createNumbers(7);
  now = 0;
  found = 0;

  set(): void {
    const end = this.now + 1 + this.below(4000);
    const record = sampleRecord(someNetwork(this.below), end, this.below(2) * (end + this.below(2000)));
    this.table.set(record);
    this.model.set(record);
  }

  delete(): void {
    const prefix = prefixOf(someNetwork(this.below));
    this.table.delete(prefix);
    this.model.delete(formatPrefix(prefix));
  }

  ask(): void {
    const ip = someAddress(this.below);
    const ban = this.table.covering(ip, this.now);
    assert.equal(ban?.expiresAt, this.model.covering(ip, this.now), `${ip} at ${this.now}`);
    if (ban) this.found++;
  }

  sweep(): void {
    this.now += this.below(300);
    const expected = this.model.sweep(this.now);
    const { ended, forgotten, next } = this.table.sweep(this.now, 100_000);
    assert.deepEqual(ended.map(({ prefix }) => formatPrefix(prefix)).sort(), expected.ended.sort());
    assert.deepEqual(forgotten.map(formatPrefix).sort(), expected.forgotten.sort());
    assert.ok(next > this.now);
    assert.equal(this.table.size, this.model.records.size);
    assert.equal(this.table.activeCount, this.model.records.size - this.model.ended.size);
  }
}

/** The share of each operation, in thousandths. Queries of the model are slow, so they are rare. */
const shares = { set: 660, delete: 300, ask: 35, sweep: 5 } as const;

describe('table of bans', () => {
  it('agrees with a plain list over 100,000 random changes and queries', () => {
    const trial = new Trial();
    const names = Object.keys(shares) as (keyof typeof shares)[];
    const drawn = names.flatMap((name) => new Array<typeof name>(shares[name]).fill(name));
    for (let step = 0; step < 100_000; step++) trial[drawn[trial.below(drawn.length)] ?? 'set']();
    assert.ok(trial.found > 1000);
  });
});
