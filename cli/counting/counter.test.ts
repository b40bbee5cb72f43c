import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter } from './counter.ts';

/** Yields keys in a mixed order that is the same in each run. Few of the keys are frequent. */
function* stream(): Generator<string> {
  let state = 1;
  for (let index = 0; index < 50_000; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const part = state >>> 16;
    yield part % 3 === 0 ? `often ${part % 5}` : `seldom ${part}`;
  }
}

const counts = new Map<string, number>();
for (const key of stream()) counts.set(key, (counts.get(key) ?? 0) + 1);

function counted(most: number): Counter<undefined> {
  const counter = new Counter(most);
  for (const key of stream()) counter.add(key);
  return counter;
}

describe('the most frequent keys', () => {
  it('are counted exactly while there is room for all', () => {
    const counter = counted(counts.size);
    assert.equal(counter.isExact, true);
    assert.deepEqual(new Map(counter.sorted().map(({ key, count }) => [key, count])), counts);
  });
  it('are found without room for all, with a bound for the error of each count', () => {
    const counter = counted(500);
    const kept = counter.sorted();
    assert.equal(counter.isExact, false);
    assert.ok(kept.length <= 500);
    assert.deepEqual(
      kept
        .slice(0, 5)
        .map(({ key }) => key)
        .sort(),
      [0, 1, 2, 3, 4].map((number) => `often ${number}`),
    );
    for (const { key, count, missed } of kept) {
      const real = counts.get(key) ?? 0;
      assert.ok(count <= real && real <= count + missed, key);
    }
    const keys = new Set(kept.map(({ key }) => key));
    for (const [key, real] of counts) assert.ok(keys.has(key) || real <= counter.missed, key);
    assert.ok(counter.missed <= 50_000 / 250, `${counter.missed}`);
  });
  it('are kept when other keys have no events', () => {
    const counter = new Counter(10);
    counter.add('a', 3);
    for (let index = 0; index < 1000; index += 1) counter.add(`allowed ${index}`, 0);
    assert.deepEqual(
      counter.sorted().map(({ key, count, missed }) => [key, count, missed]),
      [['a', 3, 0]],
    );
  });
});
