import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protocols } from '../../contract/daemon/protocols.ts';
import { fuzz } from './testing/fuzz-run.ts';
import { readVectors } from './testing/vector-files.ts';

const inputs = 100_000; // the number of inputs for all inspectors together
const seed = 2026;

for (const protocol of protocols)
  test(`${protocol} survives ${Math.floor(inputs / protocols.length)} fuzz inputs`, () => {
    const vectors = readVectors().filter((file) => file.protocol === protocol);
    const source = { protocol, vectors: vectors.flatMap((file) => file.vectors) };
    assert.equal(fuzz(source, Math.floor(inputs / protocols.length), seed), undefined);
  });
