import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../../contract/values/address.ts';
import { clientOfPeer } from '../../address/client.ts';
import { createNetworkSet } from '../../address/network-set.ts';
import { createBuckets } from './bucket.ts';

test('a bucket allows its burst at once and then its rate', () => {
  let now = 0;
  const { consume } = createBuckets(10, () => now);
  const rate = { perMinute: 60, burst: 3 };
  const taken = () => consume('a', rate);
  assert.deepEqual([taken(), taken(), taken(), taken()], [true, true, true, false]);
  now = 1000;
  assert.deepEqual([taken(), taken()], [true, false]);
  now = 60_000;
  assert.deepEqual([taken(), taken(), taken(), taken()], [true, true, true, false]);
});

test('over time no more than the rate passes, whatever the pattern of requests', () => {
  let now = 0;
  const { consume } = createBuckets(10, () => now);
  let passed = 0;
  for (; now < 600_000; now += 7) if (consume('a', { perMinute: 30, burst: 5 })) passed++;
  assert.ok(passed >= 300 && passed <= 305, `${passed}`);
});

test('a higher limit applies to clients that used up a lower one', () => {
  let now = 0;
  const { consume } = createBuckets(10, () => now);
  const [low, high] = [
    { perMinute: 1, burst: 10 },
    { perMinute: 60, burst: 10 },
  ];
  for (let count = 0; count < 10; count++) assert.equal(consume('a', low), true);
  assert.equal(consume('a', high), false);
  now = 1000;
  assert.deepEqual([consume('a', high), consume('a', high)], [true, false]);
  now = 11_000;
  for (let count = 0; count < 10; count++) assert.equal(consume('a', high), true);
});

test('the table is bounded and evicts full buckets before empty ones', () => {
  let now = 0;
  const { consume, stats } = createBuckets(100, () => now);
  const rate = { perMinute: 1, burst: 1 };
  for (let i = 0; i < 50; i++) consume(`early ${i}`, rate);
  now = 61_000;
  assert.equal(consume('guilty', rate), true);
  for (let i = 0; i < 90; i++) consume(`late ${i}`, rate);
  assert.equal(consume('guilty', rate), false);
  for (let i = 0; i < 1000; i++) consume(`flood ${i}`, rate);
  assert.deepEqual(stats(), { entries: 100, capacity: 100 });
});

test('the clients of one IPv6 /64 share a key, and a mapped IPv4 address is IPv4', () => {
  const key = (ip: string) => clientOfPeer({ ip, port: 1 }).key;
  assert.equal(key('2001:db8::1'), key('2001:db8::ffff:1'));
  assert.notEqual(key('2001:db8::1'), key('2001:db8:0:1::1'));
  assert.equal(key('::ffff:192.0.2.1'), '192.0.2.1');
  assert.notEqual(key('192.0.2.1'), key('192.0.2.2'));
});

test('a network set contains the addresses of its networks', () => {
  const { has, isEmpty } = createNetworkSet(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '0.0.0.0/32']);
  const within = (ip: string) => has(parseAddress(ip) as never);
  assert.equal(isEmpty, false);
  const inside = ['10.255.0.1', '192.0.2.1', '2001:db8:ffff::1', '0.0.0.0', '::ffff:10.0.0.1'];
  const outside = ['11.0.0.1', '192.0.2.2', '2001:db9::1', '::', '::a00:1'];
  assert.deepEqual([...inside, ...outside].map(within), [...inside.map(() => true), ...outside.map(() => false)]);
  assert.equal(createNetworkSet(['0.0.0.0/0']).has({ family: 6, value: 1n }), false);
});
