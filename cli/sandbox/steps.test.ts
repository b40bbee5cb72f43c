import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steps } from './steps.ts';

async function collect<P, R>(generator: AsyncGenerator<P, R, void>): Promise<{ seen: P[]; result: R }> {
  const seen: P[] = [];
  let step = await generator.next();
  for (; !step.done; step = await generator.next()) seen.push(step.value);
  return { seen, result: step.value };
}

test('everything reported is yielded in order, then the result is returned', async () => {
  const work = steps<number, string>(async (report) => {
    report(1);
    await Promise.resolve();
    report(2);
    report(3);
    return 'done';
  });
  assert.deepEqual(await collect(work), { seen: [1, 2, 3], result: 'done' });
});

test('what was reported before a failure is still yielded', async () => {
  const work = steps<number, never>(async (report) => {
    report(1);
    throw new Error('no');
  });
  assert.deepEqual(await work.next(), { done: false, value: 1 });
  await assert.rejects(work.next(), /no/);
});
