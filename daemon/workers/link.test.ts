import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../platform/until.ts';
import { createLink } from './link.ts';

test('a batch is bounded, and later messages wait until the one before it was sent', async () => {
  const batches: (readonly number[])[] = [];
  const sent: (() => void)[] = [];
  const link = createLink<number>((batch, done) => {
    batches.push(batch);
    sent.push(done);
  });
  for (let item = 0; item < 2500; item += 1) link.post(item);
  await until(() => batches.length === 1);
  for (let index = 0; index < 2; index += 1) sent[index]?.();
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1000, 1000, 500],
  );
  assert.deepEqual(batches.flat(), [...Array(2500).keys()]);
});

test('a message that can wait goes with the next one, and alone otherwise', async () => {
  const batches: (readonly string[])[] = [];
  const link = createLink<string>((batch, done) => {
    batches.push(batch);
    setImmediate(done);
  });
  link.postLater('record', 1e6);
  link.postLater('slot', 1);
  await until(() => batches.length === 1);
  link.postLater('record', 1e6);
  link.post('verdict');
  await until(() => batches.length === 2);
  assert.deepEqual(batches, [
    ['record', 'slot'],
    ['record', 'verdict'],
  ]);
});
