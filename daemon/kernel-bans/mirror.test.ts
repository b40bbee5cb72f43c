import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { Records } from '../bans/records.ts';
import { scratchBans } from '../bans/testing/scratch.ts';
import { Holdings } from '../feed/holdings.ts';
import type { ListedChange } from './kernel-bans.ts';
import { mirrorLists } from './mirror.ts';

const many = 5000;

test('bans are copied again when the clock was set back, and each is read once', async (t) => {
  const { bans, step } = await scratchBans(t);
  const all: ListedChange[] = [];
  await mirrorLists({ bans, decisions: new Holdings(Date.now) }, (change) => void all.push(change));
  const add = (index: number) =>
    bans.add({ ip: `10.${index % 7}.${index >> 8}.${index & 255}`, reason: '', origin: 'api' });
  await Promise.all(Array.from({ length: many }, (_, index) => add(index)));
  assert.equal(all.length, many, 'each as it was added');
  const reads = t.mock.method(Records.prototype, 'expiresAt').mock;
  step(-3_600_000);
  bans.checkClock();
  await until(() => all.length === 2 * many);
  assert.equal(reads.callCount(), many);
});
