import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { createLink } from './link.ts';

/** A link whose batches stay in flight until the test calls a function of `sent`. */
function heldLink<Item extends number | string>() {
  const batches: (readonly Item[])[] = [];
  const sent: (() => void)[] = [];
  const link = createLink<Item>((batch, done) => {
    batches.push(batch);
    sent.push(done);
  });
  return { link, batches, sent };
}

test('a batch is bounded, and later messages wait until the one before it was sent', async () => {
  const { link, batches, sent } = heldLink<number>();
  for (let item = 0; item < 2500; item += 1) link.post(item);
  await until(() => batches.length === 1);
  for (let index = 0; index < 2; index += 1) sent[index]?.();
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1000, 1000, 500],
  );
  assert.deepEqual(batches.flat(), [...Array(2500).keys()]);
});

test('a message that is made when it is sent has what came until then', async () => {
  const { link, batches, sent } = heldLink<number>();
  let value = 1;
  link.post(0);
  await until(() => batches.length === 1);
  link.postLater(() => value, 1);
  value = 2;
  sent[0]?.();
  await until(() => batches.length === 2);
  assert.deepEqual(batches, [[0], [2]]);
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

test('messages that became due while a batch was in flight are sent after it, without a warning', async (t) => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  t.after(() => process.off('warning', warned));
  const { link, batches, sent } = heldLink<string>();
  link.post('verdict');
  await until(() => batches.length === 1);
  link.postLater('slot', 1);
  const dueAt = performance.now() + 1;
  await until(() => performance.now() > dueAt);
  sent[0]?.();
  await until(() => batches.length === 2);
  assert.deepEqual(batches[1], ['slot']);
  assert.deepEqual(warnings, []);
});

test('messages that can wait gather after a batch as before it', async () => {
  const { link, batches, sent } = heldLink<string>();
  link.post('verdict');
  await until(() => batches.length === 1);
  link.postLater('record', 1e6);
  sent[0]?.();
  assert.equal(batches.length, 1);
  link.postLater('slot', 1);
  await until(() => batches.length === 2);
  assert.deepEqual(batches[1], ['record', 'slot']);
  for (let item = 0; item < 1000; item += 1) link.postLater('record', 1e6);
  sent[1]?.();
  assert.equal(batches[2]?.length, 1000);
});
