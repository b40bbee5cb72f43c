import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchBans } from '../bans/testing/scratch.ts';
import { type BanMessage, BanReplica, banMessage, sendAll } from './ban-replica.ts';

test('a copy has all bans, and follows every change until a ban ends', async (t) => {
  const scratch = await scratchBans(t);
  const { bans } = scratch;
  const add = (ip: string, durationMs: number | null) => bans.add({ ip, reason: 'test', origin: 'api', durationMs });
  for (let host = 0; host < 2500; host++) await Promise.race([add(`10.0.${host >> 8}.${host & 255}`, null), undefined]);
  const replica = new BanReplica(() => scratch.clock);
  let pauses = 0;
  const pause = async () => void pauses++;
  await sendAll(bans, (message: BanMessage) => replica.take(structuredClone(message)), pause);
  assert.equal(pauses, 3);
  assert.deepEqual(
    ['10.0.0.0', '10.0.9.195', '10.0.9.196'].map((ip) => replica.covers(ip)),
    [true, true, false],
  );
  bans.watch((change) => replica.take(banMessage(change)));
  await add('198.51.100.0/24', 1000);
  assert.deepEqual([replica.covers('198.51.100.9'), bans.covers('198.51.100.9')], [true, true]);
  await bans.remove('10.0.0.0');
  assert.equal(replica.covers('10.0.0.0'), false);
  scratch.clock += 1000;
  assert.deepEqual([replica.covers('198.51.100.9'), bans.covers('198.51.100.9')], [false, false]);
});
