import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BanRecord } from './records.ts';
import { BanTable } from './table.ts';
import { comparePrefixes, covers, formatPrefix, type Prefix, readPrefix } from './words.ts';

const prefixOf = (text: string): Prefix => readPrefix(text) as Prefix;

const record = (ip: string, expiresAt: number, rememberedUntil = 0): BanRecord => ({
  prefix: prefixOf(ip),
  reason: `${ip} until ${expiresAt}`,
  service: 'ssh',
  origin: 'local',
  bannedAt: 1,
  expiresAt,
  level: 1,
  rememberedUntil,
});

function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Few values, so that addresses meet and networks overlap. */
function someAddress(below: (limit: number) => number): string {
  if (below(2) === 0) return `10.${below(3)}.${below(4)}.${below(64)}`;
  return `2001:db8:${below(3)}:${below(4)}::${below(32).toString(16)}`;
}

function someNetwork(below: (limit: number) => number): string {
  const address = someAddress(below);
  if (below(3) > 0) return address;
  return address.includes(':') ? `${address}/${32 + below(97)}` : `${address}/${8 + below(25)}`;
}

/** The same in the plainest way. */
class Model {
  readonly records = new Map<string, BanRecord>();

  covering(ip: string, now: number): number | undefined {
    const inner = prefixOf(ip);
    const ends = [...this.records.values()]
      .filter(({ prefix, expiresAt }) => expiresAt > now && covers(prefix, inner))
      .map(({ expiresAt }) => expiresAt);
    return ends.length > 0 ? Math.max(...ends) : undefined;
  }

  sweep(now: number): { ended: string[]; forgotten: string[] } {
    const over = [...this.records].filter(([, { expiresAt }]) => expiresAt <= now);
    const forgotten = over.filter(([, { rememberedUntil }]) => rememberedUntil <= now).map(([ip]) => ip);
    for (const ip of forgotten) this.records.delete(ip);
    return { ended: over.map(([ip]) => ip), forgotten };
  }
}

describe('table of bans', () => {
  it('agrees with a plain list over 100,000 random changes and questions', () => {
    const below = numbers(7);
    const [table, model] = [new BanTable(), new Model()];
    const endedBefore = new Set<string>();
    let now = 0;
    let covered = 0;
    for (let step = 0; step < 100_000; step++) {
      const what = below(100);
      if (what < 45) {
        const ip = someNetwork(below);
        const end = now + 1 + below(4000);
        const next = record(ip, end, below(2) * (end + below(2000)));
        table.set(next);
        model.records.set(formatPrefix(next.prefix), next);
        endedBefore.delete(formatPrefix(next.prefix));
      } else if (what < 60) {
        const prefix = prefixOf(someNetwork(below));
        table.delete(prefix);
        model.records.delete(formatPrefix(prefix));
        endedBefore.delete(formatPrefix(prefix));
      } else if (what < 98 || step % 8 > 0) {
        if (step % 16 > 0) continue; // the plain list is slow
        const ip = someAddress(below);
        const ban = table.covering(ip, now);
        assert.equal(ban?.expiresAt, model.covering(ip, now), `${ip} at ${now}`);
        if (ban) assert.equal(ban.reason.split(' ').pop(), String(ban.expiresAt));
        if (ban) covered++;
      } else {
        now += below(300);
        const expected = model.sweep(now);
        const { ended, forgotten, next } = table.sweep(now, 100_000);
        const freshlyEnded = expected.ended.filter((ip) => !endedBefore.has(ip));
        assert.deepEqual(ended.map(({ prefix }) => formatPrefix(prefix)).sort(), freshlyEnded.sort());
        assert.deepEqual(forgotten.map(formatPrefix).sort(), expected.forgotten.sort());
        for (const ip of expected.ended) endedBefore.add(ip);
        for (const ip of expected.forgotten) endedBefore.delete(ip);
        assert.ok(next > now);
        assert.equal(table.active, [...model.records.keys()].filter((ip) => !endedBefore.has(ip)).length);
      }
      assert.equal(table.size, model.records.size);
    }
    assert.ok(covered > 1000);
  });

  it('takes the ban that lasts longest, whichever is more exact', () => {
    const table = new BanTable();
    table.set(record('192.0.2.1', 100));
    table.set(record('192.0.2.0/24', 200));
    assert.equal(table.covering('192.0.2.1', 50)?.ip, '192.0.2.0/24');
    table.set(record('192.0.2.1', 300));
    assert.equal(table.covering('192.0.2.1', 50)?.ip, '192.0.2.1');
    assert.equal(table.covering('192.0.2.1', 250)?.ip, '192.0.2.1');
    assert.equal(table.covering('192.0.2.2', 250), undefined);
    assert.equal(table.covering('::ffff:192.0.2.1', 50)?.ip, '192.0.2.1');
    assert.equal(table.covering('no address', 50), undefined);
  });

  it('pages through all bans by address', () => {
    const below = numbers(3);
    const table = new BanTable();
    for (let count = 0; count < 3000; count++) table.set(record(someNetwork(below), 100 + below(100)));
    const expected = [...table.all()].filter(({ expiresAt }) => expiresAt > 150).map(({ prefix }) => prefix);
    const found: Prefix[] = [];
    for (let page = table.page(undefined, 7, 150); page.length > 0; page = table.page(found.at(-1), 7, 150))
      found.push(...page.map(({ prefix }) => prefix));
    assert.deepEqual(found.map(formatPrefix), expected.sort(comparePrefixes).map(formatPrefix));
  });

  it('sweeps in parts', () => {
    const table = new BanTable();
    for (let host = 0; host < 10; host++) table.set(record(`192.0.2.${host}`, 100));
    assert.equal(table.sweep(100, 4).ended.length, 4);
    assert.equal(table.sweep(100, 4).next, 100);
    assert.equal(table.sweep(100, 4).next, Number.POSITIVE_INFINITY);
    assert.equal(table.size, 0);
  });

  it('forgets ended bans to make room', () => {
    const table = new BanTable();
    table.set(record('192.0.2.1', 100, 1000));
    table.set(record('192.0.2.2', 500, 1000));
    table.sweep(200, 10);
    assert.deepEqual(table.forgetEnded(10).map(formatPrefix), ['192.0.2.1']);
    assert.equal(table.size, 1);
  });
});
