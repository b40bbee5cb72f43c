import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, rowsIn, rowsOfParts } from './row.ts';

const row = (name: string): Row => ({ name, measured: '1 ms', budget: 'reported', holds: true });

async function shownOf(rows: AsyncIterable<Row>): Promise<string[]> {
  const shown: string[] = [];
  for await (const { name, measured, holds } of rows) shown.push(`${name}: ${measured}, ${holds}`);
  return shown;
}

test('a part that fails is a row that does not hold, and the other parts are measured', async () => {
  const failing = async function* () {
    yield row('before');
    throw new Error('wrk:\n  timeout\n');
  };
  const parts = [
    ['one', failing],
    ['two', async () => [row('other')]],
  ] as const;
  assert.deepEqual(await shownOf(rowsOfParts([], parts)), [
    'before: 1 ms, true',
    'one: failed: Error: wrk: timeout, false',
    'other: 1 ms, true',
  ]);
  assert.deepEqual(await shownOf(rowsOfParts(['two'], parts)), ['other: 1 ms, true']);
  await assert.rejects(shownOf(rowsOfParts(['Two'], parts)), /no part Two; there are one, two/);
});

test('a row arrives before the next one is measured', async () => {
  let measured = 0;
  const rows = rowsIn('one', async function* () {
    for (; ; measured += 1) yield row(`${measured}`);
  });
  await rows.next();
  assert.equal(measured, 0);
});
