import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { turnsOf } from '../../platform/testing/turns.ts';
import { readPrefix } from '../address/prefix.ts';
import { type KeyedDecision, readDecision } from './decision.ts';
import { Holdings } from './holdings.ts';
import { decision } from './testing/fake-lapi.ts';

/** A response with these decisions, written at time 0. */
function responseOf(decisions: readonly object[]) {
  const fresh = new Map<string, KeyedDecision>();
  for (const raw of decisions) {
    const keyed = readDecision(raw, 0);
    if (keyed) fresh.set(keyed.key, keyed);
  }
  return { fresh, deleted: new Set<string>() };
}

const address = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
const { feedDecisions, feedDecisionsPerPrefix } = daemonBounds;

test('keeps few of many decisions of one address, and its ban and the longest among them', async () => {
  const holdings = new Holdings(() => 0);
  const types = Array.from({ length: feedDecisions - 1 }, (_, index) =>
    decision('192.0.2.1', { type: `type${index}`, duration: `${1 + (index % 7000)}s` }),
  );
  const refused = await holdings.merge(responseOf([...types, decision('192.0.2.1', { duration: '1s' })]));
  assert.equal(holdings.size, feedDecisionsPerPrefix);
  assert.ok(refused > 0);
  assert.equal(holdings.covering('192.0.2.1')?.type, 'ban');
  const kept = holdings.page({ limit: 100, after: -1 }).decisions;
  assert.ok(kept.filter(({ type }) => type !== 'ban').every(({ expiresAt }) => expiresAt === 7_000_000));
});

test('a decision that is spared replaces the one before it, and takes it out of force', async () => {
  const holdings = new Holdings(
    () => 0,
    ({ decision: { origin } }) => origin === 'crowdsec',
  );
  const [byHand, automatic] = ['cscli', 'crowdsec'].map((origin, hour) =>
    responseOf([decision('192.0.2.1', { origin, duration: `${1 + hour}h` })]),
  );
  assert.ok(byHand && automatic);
  await holdings.merge(byHand);
  await holdings.merge({ ...automatic, deleted: new Set(byHand.fresh.keys()) });
  assert.equal(holdings.covering('192.0.2.1'), undefined);
  await holdings.merge(byHand);
  await holdings.replace(automatic);
  assert.equal(holdings.size, 0);
});

test('ends a merge when its signal is aborted', async () => {
  const holdings = new Holdings(() => 0);
  const end = new AbortController();
  const many = responseOf(Array.from({ length: 5000 }, (_, index) => decision(address(index))));
  const merging = holdings.merge(many, end.signal);
  end.abort();
  await merging;
  assert.ok(holdings.size < 5000, `${holdings.size} decisions`);
});

test('returns the decisions that cover all of a network, and those of one prefix best first', async () => {
  let now = 0;
  const holdings = new Holdings(() => now);
  const types = [
    ['captcha', '3h'],
    ['ban', '1h'],
    ['throttle', '4h'],
  ];
  const onNetwork = types.map(([type, duration]) => decision('192.0.2.0/24', { type, duration, scope: 'Range' }));
  const narrower = decision('192.0.2.0', { duration: '5h' });
  await holdings.merge(responseOf([...onNetwork, narrower, decision('2001:db8::/32', { scope: 'Range' })]));
  const typesOn = (text: string) => {
    const prefix = readPrefix(text);
    assert.ok(prefix);
    return holdings.coveringAll(prefix).map(({ type, ip }) => `${type} ${ip}`);
  };
  const network = ['ban 192.0.2.0/24', 'throttle 192.0.2.0/24', 'captcha 192.0.2.0/24'];
  assert.deepEqual(typesOn('192.0.2.0'), [...network, 'ban 192.0.2.0']);
  assert.deepEqual(typesOn('192.0.2.0/25'), network);
  assert.deepEqual(typesOn('192.0.2.0/23'), []);
  assert.deepEqual(typesOn('2001:db8:1::/64'), ['ban 2001:db8::/32']);
  now = 2 * 3_600_000;
  assert.deepEqual(typesOn('192.0.2.0/25'), network.slice(1));
});

test('a lifted decision makes room for another of its address', async () => {
  const holdings = new Holdings(() => 0);
  const typed = (index: number) => decision('192.0.2.1', { type: `type${index}` });
  const full = responseOf(Array.from({ length: feedDecisionsPerPrefix }, (_, index) => typed(index)));
  await holdings.merge(full);
  const other = responseOf([typed(feedDecisionsPerPrefix)]);
  assert.equal(await holdings.merge(other), 1);
  const [first = ''] = full.fresh.keys();
  await holdings.merge({ fresh: new Map(), deleted: new Set([first]) });
  assert.equal(await holdings.merge(other), 0);
  assert.equal(holdings.size, feedDecisionsPerPrefix);
});

const replacements: Record<string, (index: number) => object> = {
  'of another type': (index) => decision(address(index), { type: 'captcha' }),
  'of another scope': (index) => decision(address(index), { scope: 'Range' }),
  'on a network': () => decision('10.0.0.0/8', { scope: 'Range' }),
};

for (const [name, replacement] of Object.entries(replacements))
  test(`addresses stay covered while a large response replaces their decisions by ones ${name}`, async () => {
    const holdings = new Holdings(() => 0);
    const many = Array.from({ length: 5000 }, (_, index) => index);
    await holdings.merge(responseOf(many.map((index) => decision(address(index)))));
    const next = responseOf(many.map(replacement));
    let isDone = false;
    const replacing = holdings.replace(next).finally(() => {
      isDone = true;
    });
    let gaps = 0;
    while (!isDone) {
      if (![0, 4999].every((index) => holdings.covering(address(index)))) gaps++;
      await turn();
    }
    assert.deepEqual([await replacing, gaps, holdings.size], [0, 0, next.fresh.size]);
  });

test('a response replaces all decisions of a full table', async () => {
  const holdings = new Holdings(() => 0);
  const many = (from: number) =>
    responseOf(Array.from({ length: feedDecisions }, (_, index) => decision(address(from + index))));
  await holdings.merge(many(0));
  assert.equal(await holdings.replace(many(1000)), 0);
  assert.equal(holdings.size, feedDecisions);
  assert.equal(holdings.covering(address(0)), undefined);
  assert.ok(holdings.covering(address(feedDecisions)));
});

test('a response replaces all decisions of one address, as many as it can have', async () => {
  const holdings = new Holdings(() => 0);
  const many = (from: number) =>
    responseOf(
      Array.from({ length: feedDecisionsPerPrefix }, (_, index) =>
        decision('192.0.2.1', { type: `type${from + index}`, duration: `${1 + from + index}h` }),
      ),
    );
  await holdings.merge(many(0));
  const next = many(4);
  assert.equal(await holdings.replace(next), 0);
  assert.deepEqual([...holdings.all()].map(({ key }) => key).sort(), [...next.fresh.keys()].sort());
});

/** Decisions on 0.0.0.0/0 with different keys. There are more of them than one prefix can have. */
const tooWide = (_: unknown, index: number) => decision('0.0.0.0/0', { scope: 'Range', type: `type${index}` });

test('connections are served while a large response is compared with the decisions in force, and merged', async () => {
  const holdings = new Holdings(() => 0);
  const many = responseOf(Array.from({ length: 5000 }, (_, index) => decision(address(index))));
  const others = responseOf(Array.from({ length: 5000 }, (_, index) => decision(address(5000 + index))));
  const works = {
    add: () => holdings.merge(many),
    compare: async () => assert.equal(await holdings.isHalved(others), true),
    lift: () => holdings.clear(),
    refuse: () => holdings.merge(responseOf(Array.from({ length: 5000 }, tooWide))),
  };
  for (const [name, work] of Object.entries(works)) {
    const turns = await turnsOf(work());
    assert.ok(turns >= 5, `${name}: ${turns} turns`);
  }
});

test('decisions that end together are not in force, are not listed, and make room for others', async () => {
  let now = 0;
  const holdings = new Holdings(() => now);
  await holdings.merge(
    responseOf(Array.from({ length: feedDecisions }, (_, index) => decision(address(index), { duration: '1s' }))),
  );
  assert.equal(holdings.size, feedDecisions);
  now = 1000;
  assert.equal(holdings.covering(address(7)), undefined);
  assert.deepEqual(holdings.page({ limit: 10, after: -1 }).decisions, []);
  assert.equal(await holdings.isHalved(responseOf([])), false);
  assert.deepEqual([...holdings.all()], []);
  assert.equal(await holdings.merge(responseOf([decision('192.0.2.1')])), 0);
  while (holdings.size > 1);
  assert.equal(holdings.covering('192.0.2.1')?.type, 'ban');
});
