import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectors } from '../index.ts';
import { readVectors } from '../testing/vector-files.ts';
import { wholePieces } from '../testing/vectors.ts';

const [hello] = readVectors()
  .filter(({ name }) => name === 'tls.json')
  .flatMap(({ vectors }) => vectors.filter(({ description }) => description.startsWith('hello of OpenSSL')))
  .flatMap((vector) => wholePieces(vector).map(({ bytes }) => bytes));
assert.ok(hello);
const whole = hello;

for (const protocol of ['redis', 'ldap', 'mqtt', 'mongodb', 'postgres'] as const) {
  const isEnough = (bytes: Buffer) => inspectors[protocol].isEnough?.(bytes, 0);

  test(`${protocol}: no upstream is connected before a ClientHello is whole`, () => {
    assert.equal(isEnough(whole.subarray(0, -1)), false);
    assert.equal(isEnough(whole), true);
  });

  test(`${protocol}: an upstream is connected at once for bytes that no ClientHello continues`, () => {
    assert.equal(isEnough(Buffer.concat([Buffer.of(0x16, 3, 1, 0, 4, 9), Buffer.alloc(12)])), true);
  });
}
