import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { until } from '../../../platform/testing/until.ts';
import { Records } from '../../bans/records.ts';
import { dataFolder, scratchBans } from '../../bans/testing/scratch.ts';
import { type KeyedDecision, readDecision } from '../../feed/decision.ts';
import { Holdings } from '../../feed/holdings.ts';
import { decision } from '../../feed/testing/fake-lapi.ts';
import { Replication } from '../coordinator/replication.ts';
import type { FailingMessage, ReplicaMessage } from '../link/messages.ts';
import { Replica } from './replica.ts';

const failing = Array.from({ length: 2500 }, (_, index) => String(index));
const empty = { all: () => [], watch: () => () => {}, checkClock: () => {} };
const keyed = (value: string, more: object = {}) => readDecision(decision(value, more), 0) as KeyedDecision;
const mapped = (list: readonly KeyedDecision[]) => new Map(list.map((one) => [one.key, one]));
const merged = (holdings: Holdings, list: readonly KeyedDecision[]) =>
  holdings.merge({ fresh: mapped(list), deleted: new Set() });

/** A replica that gets messages serialized, as from another process. */
function replicaOf(now: () => number) {
  const replica = new Replica(now);
  const sizes: number[] = [];
  const keys: string[] = [];
  const post = (message: ReplicaMessage | FailingMessage) => {
    if (message.kind === 'decisions') sizes.push(message.changes.length);
    if (message.kind === 'failing') {
      assert.ok(message.keys.length <= 1000);
      keys.push(...message.keys);
    } else replica.apply(JSON.parse(JSON.stringify(message)));
  };
  return { replica, sizes, keys, link: { post, untilDrained: () => turn(), hasEnded: () => false } };
}

test('a replica has all bans, and follows every change until a ban ends', async (t) => {
  const scratch = await scratchBans(t);
  const { bans } = scratch;
  const add = (ip: string, durationMs: number | null) => bans.add({ ip, reason: 'test', origin: 'api', durationMs });
  for (let host = 0; host < 2500; host++) await Promise.race([add(`10.0.${host >> 8}.${host & 255}`, null), undefined]);
  const { replica, link } = replicaOf(() => scratch.clock);
  const replication = new Replication({ bans, decisions: new Holdings(() => scratch.clock), failing: () => [] }, link);
  await replication.sendAll();
  assert.deepEqual(
    ['10.0.0.0', '10.0.9.195', '10.0.9.196'].map((ip) => replica.covers(ip)),
    [true, true, false],
  );
  bans.watch(replication.onBanChange);
  await add('198.51.100.0/24', 1000);
  assert.deepEqual([replica.covers('198.51.100.9'), bans.covers('198.51.100.9')], [true, true]);
  await bans.remove('10.0.0.0');
  assert.equal(replica.covers('10.0.0.0'), false);
  scratch.clock += 1000;
  assert.deepEqual([replica.covers('198.51.100.9'), bans.covers('198.51.100.9')], [false, false]);
});

test('a replica has the decisions of the feed with their order and ends', async () => {
  const clock = { now: 0 };
  const holdings = new Holdings(() => clock.now);
  const longer = { type: 'captcha', duration: '2h', origin: 'CAPI' };
  await merged(holdings, [
    keyed('192.0.2.1', { duration: '1h' }),
    keyed('192.0.2.1', longer),
    keyed('198.51.100.0/24'),
  ]);
  const { replica, link } = replicaOf(() => clock.now);
  await new Replication({ bans: empty, decisions: holdings, failing: () => failing }, link).sendAll();
  const both = (ip: string) => [replica.covering(ip)?.origin, holdings.covering(ip)?.origin];
  assert.deepEqual(both('192.0.2.1'), ['cscli', 'cscli'], 'a ban comes first');
  assert.deepEqual(both('198.51.100.7'), ['cscli', 'cscli']);
  clock.now = 3_600_000;
  assert.deepEqual(both('192.0.2.1'), ['CAPI', 'CAPI']);
  clock.now *= 2;
  assert.deepEqual(both('192.0.2.1'), [undefined, undefined]);
});

test('as many decisions as a feed has arrive in pages, with the changes made meanwhile, and a slow reader gets only the last state', async () => {
  const count = daemonBounds.feedDecisions;
  const ipOf = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  const all = Array.from({ length: count }, (_, index) => keyed(ipOf(index)));
  const holdings = new Holdings(() => 0);
  await merged(holdings, all.slice(0, count - 10));
  const { replica, sizes, keys, link } = replicaOf(() => 0);
  const slow = { ...link, untilDrained: link.untilDrained };
  const replication = new Replication({ bans: empty, decisions: holdings, failing: () => failing }, slow);
  holdings.watch(replication.onDecisions);
  const sent = replication.sendAll();
  const [first, last] = [all[0] as KeyedDecision, all.at(-1) as KeyedDecision];
  await holdings.merge({ fresh: mapped(all.slice(-10)), deleted: new Set([first.key]) });
  await sent;
  await until(() => replica.covering(last.ip) !== undefined && replica.covering(first.ip) === undefined);
  assert.deepEqual(keys, failing);
  assert.ok(Math.max(...sizes) <= 1000, `a page of ${Math.max(...sizes)}`);
  const missing = all.slice(1).filter(({ ip }) => !replica.covering(ip));
  assert.equal(missing.length, 0);

  let isBlocked = true;
  const release = Promise.withResolvers<void>();
  slow.untilDrained = () => (isBlocked ? release.promise : turn());
  await merged(holdings, [keyed('203.0.113.1')]);
  const before = sizes.length;
  await turn();
  for (let round = 5; round <= 24; round += 1)
    await merged(holdings, [keyed('203.0.113.1', { duration: `${round}h` })]);
  assert.ok(sizes.length - before <= 1, 'the reader has not read the page before');
  isBlocked = false;
  release.resolve();
  await until(() => replica.covering('203.0.113.1')?.expiresAt === 24 * 3_600_000);
  assert.ok(sizes.length - before <= 3);
});

test('bans that are read after the start wait for a reader in the store, not in its queue', async (t) => {
  const dataDir = dataFolder();
  const first = await scratchBans(t, { dataDir });
  const ipOf = (index: number) => `10.1.${index >> 8}.${index & 255}`;
  const count = 5000;
  const request = { reason: 'test', origin: 'api', durationMs: null } as const;
  await Promise.all(Array.from({ length: count }, (_, index) => first.bans.add({ ip: ipOf(index), ...request })));
  // `first` holds the lock of the store.
  const { bans } = await scratchBans(t, { dataDir, yaml: '{ version: 1, bans: { on_error: serve } }' });
  const { replica, link } = replicaOf(() => 0);
  const posted: number[] = [0];
  const isRead = Promise.withResolvers<void>();
  const counted = {
    ...link,
    post: (message: ReplicaMessage | FailingMessage) => {
      posted[posted.length - 1] = (posted.at(-1) ?? 0) + 1;
      link.post(message);
    },
    untilDrained: async () => {
      await isRead.promise;
      posted.push(0);
    },
  };
  bans.watch(new Replication({ bans, decisions: new Holdings(() => 0), failing: () => [] }, counted).onBanChange);
  await first.bans.close();
  await until(() => bans.count() === count && posted[0] !== 0, 'the bans to be read');
  await bans.add({ ip: '198.51.100.1', ...request });
  isRead.resolve();
  await until(() => replica.covers(ipOf(count - 1)), 'the bans to be sent');
  assert.deepEqual(
    posted.filter((messages) => messages > 1001),
    [],
  );
  for (let index = 0; index < count; index += 1) assert.ok(replica.covers(ipOf(index)));
});

test('a worker that starts makes the coordinator read each ban once', async (t) => {
  const { bans } = await scratchBans(t);
  const add = (index: number) =>
    bans.add({ ip: `10.${index % 7}.${index >> 8}.${index & 255}`, reason: '', origin: 'api' });
  await Promise.all(Array.from({ length: 5000 }, (_, index) => add(index)));
  const { link } = replicaOf(Date.now);
  const reads = t.mock.method(Records.prototype, 'expiresAt').mock;
  await new Replication({ bans, decisions: new Holdings(Date.now), failing: () => [] }, link).sendAll();
  assert.equal(reads.callCount(), 5000);
});
