import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectors } from './index.ts';
import { randomNumbers } from './testing/random.ts';
import { readVectors } from './testing/vector-files.ts';
import { cut, replay, wholePieces } from './testing/vectors.ts';

const randomRuns = 20;
const seed = 1;

for (const { name, protocol, vectors } of readVectors()) {
  test(`${name}: protocol and descriptions are valid`, () => {
    assert.ok(Object.hasOwn(inspectors, protocol));
    assert.equal(new Set(vectors.map(({ description }) => description)).size, vectors.length);
  });
  for (const vector of vectors)
    test(`${name}: ${vector.description}`, () => {
      const whole = wholePieces(vector);
      assert.deepEqual(replay(protocol, vector, whole), vector.events, 'whole');
      assert.deepEqual(
        replay(
          protocol,
          vector,
          cut(whole, () => 1),
        ),
        vector.events,
        'byte by byte',
      );
      const random = randomNumbers(seed);
      for (let run = 0; run < randomRuns; run += 1) {
        const pieces = cut(whole, () => 1 + Math.floor(random() ** 4 * 4096));
        assert.deepEqual(replay(protocol, vector, pieces), vector.events, `random split ${run}`);
      }
    });
}
