/** For tests: a ClientHello. */
import assert from 'node:assert/strict';
import { readVectors } from './vector-files.ts';
import { unsplitPieces } from './vectors.ts';

const [hello] = readVectors()
  .filter(({ name }) => name === 'tls.json')
  .flatMap(({ vectors }) => vectors.filter(({ description }) => description.startsWith('hello of OpenSSL')))
  .flatMap((vector) => unsplitPieces(vector).map(({ bytes }) => bytes));
assert.ok(hello);

export const helloOfOpenSsl: Buffer = hello;
