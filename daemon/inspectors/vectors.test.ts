import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectors } from './index.ts';
import { randomNumbers } from './testing/random.ts';
import { readVectors } from './testing/vector-files.ts';
import { cutPieces, type Piece, replay, unsplitPieces } from './testing/vectors.ts';

const randomRuns = 20;
const seed = 1;

for (const { name, protocol, vectors } of readVectors()) {
  test(`${name}: protocol and descriptions are valid`, () => {
    assert.ok(Object.hasOwn(inspectors, protocol));
    assert.equal(new Set(vectors.map(({ description }) => description)).size, vectors.length);
  });
  for (const vector of vectors)
    test(`${name}: ${vector.description}`, () => {
      const whole = unsplitPieces(vector);
      const check = (pieces: readonly Piece[], what: string) => {
        assert.deepEqual(replay(protocol, vector, pieces), vector.events, what);
        assert.deepEqual(replay(protocol, vector, pieces, false), vector.events, `${what}, all bytes seen`);
      };
      check(whole, 'whole');
      check([...cutPieces(whole, () => 1)], 'byte by byte');
      const random = randomNumbers(seed);
      for (let run = 0; run < randomRuns; run += 1)
        check([...cutPieces(whole, () => 1 + Math.floor(random() ** 4 * 4096))], `random split ${run}`);
    });
}
