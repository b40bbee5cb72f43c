import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { protocols } from '../../contract/daemon/protocols.ts';
import { packageRoot } from '../../platform/assets.ts';
import { inspectors } from './index.ts';
import words from './testing/fuzz-dictionary.json' with { type: 'json' };
import { randomNumbers } from './testing/random.ts';
import { readVectors } from './testing/vector-files.ts';
import { cutPieces, type Piece, replay, unsplitPieces } from './testing/vectors.ts';

const randomRuns = 20;
const seed = 1;

test('each protocol has handwritten conversations, words for the fuzzer and a row in docs/inspectors.md', () => {
  const page = readFileSync(join(packageRoot, 'docs/inspectors.md'), 'utf8');
  const files = readVectors().map(({ name }) => name);
  for (const protocol of protocols.filter((name) => name !== 'generic')) {
    assert.ok(files.includes(`${protocol}.json`), `vectors of ${protocol}`);
    assert.ok(Object.hasOwn(words, protocol), `words of ${protocol}`);
    assert.match(page, new RegExp(`^\\| \`${protocol}\`.* \\| (?:client|server) \\| `, 'm'));
  }
});

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
