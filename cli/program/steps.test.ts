import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from './steps.ts';

async function collect<P, R>(generator: AsyncGenerator<P, R, void>): Promise<{ seen: P[]; result: R }> {
  const seen: P[] = [];
  let step = await generator.next();
  for (; !step.done; step = await generator.next()) seen.push(step.value);
  return { seen, result: step.value };
}

test('yields all reports in order, then returns the result', async () => {
  const work = stepsOf<number, string>(async (report) => {
    report(1);
    await Promise.resolve();
    report(2);
    report(3);
    return 'done';
  });
  assert.deepEqual(await collect(work), { seen: [1, 2, 3], result: 'done' });
});

test('yields reports from before a failure', async () => {
  const work = stepsOf<number, never>(async (report) => {
    report(1);
    throw new Error('no');
  });
  assert.deepEqual(await work.next(), { done: false, value: 1 });
  await assert.rejects(work.next(), /no/);
});
