import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { inspectors } from './index.ts';
import { randomNumbers } from './random.ts';
import { cut, replay, type Vector, wholePieces } from './vectors.ts';

// The same place from source and from dist/.
const folder = join(import.meta.dirname.replace(/\/dist\/daemon\//, '/daemon/'), 'vectors');
const files = readdirSync(folder).sort();
const randomRuns = 20;
const seed = 1;

/** `smtp.json` and `smtp-postfix.json` are conversations of smtp. */
const protocolOf = (file: string) => (file.split(/[-.]/)[0] ?? '') as Protocol;

for (const file of files) {
  const protocol = protocolOf(file);
  const vectors: Vector[] = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  test(`${file}: protocol and descriptions are sound`, () => {
    assert.ok(Object.hasOwn(inspectors, protocol));
    assert.equal(new Set(vectors.map(({ description }) => description)).size, vectors.length);
  });
  for (const vector of vectors)
    test(`${file}: ${vector.description}`, () => {
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
