import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparePrefixes, formatPrefix, type Prefix } from '../address/prefix.ts';
import { BanTable } from './table.ts';
import { createNumbers, sampleAddresses, sampleRecord } from './testing/samples.ts';

describe('table of bans', () => {
  it('returns the ban that lasts longest, not the most specific one', () => {
    const table = new BanTable();
    table.set(sampleRecord('192.0.2.1', 100));
    table.set(sampleRecord('192.0.2.0/24', 200));
    assert.equal(table.covering('192.0.2.1', 50)?.ip, '192.0.2.0/24');
    table.set(sampleRecord('192.0.2.1', 300));
    assert.equal(table.covering('192.0.2.1', 50)?.ip, '192.0.2.1');
    assert.equal(table.covering('192.0.2.1', 250)?.ip, '192.0.2.1');
    assert.equal(table.covering('192.0.2.2', 250), undefined);
    assert.equal(table.covering('::ffff:192.0.2.1', 50)?.ip, '192.0.2.1');
    assert.equal(table.covering('not an address', 50), undefined);
  });

  it('pages through all bans by address', () => {
    const below = createNumbers(3);
    const table = new BanTable();
    for (const ip of sampleAddresses(3000)) table.set(sampleRecord(ip, 100 + below(100)));
    const expected = [...table.all()].filter(({ expiresAt }) => expiresAt > 150).map(({ prefix }) => prefix);
    const found: Prefix[] = [];
    for (let page = table.page(undefined, 7, 150); page.length > 0; page = table.page(found.at(-1), 7, 150))
      found.push(...page.map(({ prefix }) => prefix));
    assert.deepEqual(found.map(formatPrefix), expected.sort(comparePrefixes).map(formatPrefix));
  });

  it('sweeps in steps', () => {
    const table = new BanTable();
    for (let host = 0; host < 10; host++) table.set(sampleRecord(`192.0.2.${host}`, 100));
    assert.equal(table.sweep(100, 4).ended.length, 4);
    assert.equal(table.sweep(100, 4).next, 100);
    assert.equal(table.sweep(100, 4).next, Number.POSITIVE_INFINITY);
    assert.equal(table.size, 0);
  });

  it('evicts ended bans to make room', () => {
    const table = new BanTable();
    table.set(sampleRecord('192.0.2.1', 100, 1000));
    table.set(sampleRecord('192.0.2.2', 500, 1000));
    table.sweep(200, 10);
    assert.deepEqual(table.forgetEnded(10).map(formatPrefix), ['192.0.2.1']);
    assert.equal(table.size, 1);
  });
});

describe('a walk through the table of bans', () => {
  it('returns each ban in force once while others are added, deleted and end', () => {
    const table = new BanTable();
    const lasting = [...sampleAddresses(500, 1)];
    const short = [...sampleAddresses(500, 2)];
    const left = [...short];
    const added = sampleAddresses(1000, 3);
    for (const ip of short) table.set(sampleRecord(ip, 200));
    for (const ip of lasting) table.set(sampleRecord(ip, 300));
    const found: string[] = [];
    const gone = new Set<string>();
    for (const { ip } of table.bansInForce(() => (found.length < 100 ? 100 : 200))) {
      assert.ok(!gone.has(ip), ip);
      found.push(ip);
      const { value: fresh } = added.next();
      if (fresh) table.set(sampleRecord(fresh, 300));
      const last = left.pop() ?? '192.0.2.1';
      table.delete(sampleRecord(last, 200).prefix);
      gone.add(last);
    }
    assert.deepEqual(
      found.filter((ip) => short.includes(ip)),
      short.slice(0, 100),
    );
    assert.deepEqual(
      found.filter((ip) => lasting.includes(ip)),
      lasting,
    );
  });
});
