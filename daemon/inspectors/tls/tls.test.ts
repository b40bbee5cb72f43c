/** Tests how long the inspection of a service lasts, with and without options. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectors } from '../index.ts';
import { readVectors } from '../testing/vector-files.ts';
import { serviceOf, unsplitPieces } from '../testing/vectors.ts';

const earlyDataBytes = 1000;
const earlyData = Buffer.of(23, 3, 3, earlyDataBytes >> 8, earlyDataBytes & 0xff, 1, 2);

/** A recorded handshake: a hello, the server's request for a second hello, that hello, and the answer. */
function recorded() {
  const { vectors } = readVectors().find(({ name }) => name === 'tls.json') ?? { vectors: [] };
  const vector = vectors.find(({ description }) => description.endsWith('requests again, with the same name'));
  assert.ok(vector);
  const [first, request, second, answer] = unsplitPieces(vector).map(({ bytes }) => bytes) as Buffer[] as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  return { first, request, second, answer };
}

const open = (options?: Record<string, unknown>) =>
  inspectors.tls.open({ service: serviceOf('tls', options), client: '192.0.2.1', guard: undefined });
const withOptions = () => open({ deny_sni: ['*.evil.example'] });

test('a service without options is inspected up to its hello', () => {
  const session = open();
  session.feed('client', recorded().first);
  assert.equal(session.isDone(), true);
});

test('a service with options is inspected up to the header of the first ServerHello', () => {
  const session = withOptions();
  session.feed('client', recorded().first);
  session.feed('server', recorded().answer.subarray(0, 42));
  assert.equal(session.isDone(), false);
  session.feed('server', recorded().answer.subarray(42, 43));
  assert.equal(session.isDone(), true);
});

test('a service with options is inspected up to a second hello that the server requests', () => {
  const { first, request, second } = recorded();
  const session = withOptions();
  session.feed('client', first);
  session.feed('server', request);
  session.feed('client', second.subarray(0, -1));
  assert.equal(session.isDone(), false);
  session.feed('client', second.subarray(-1));
  assert.equal(session.isDone(), true);
});

test('early data passes unseen', () => {
  const session = withOptions();
  assert.deepEqual(session.feed('client', Buffer.concat([recorded().first, earlyData])).at(-1)?.kind, 'fact');
  assert.equal(session.unseen('client'), earlyDataBytes - 2);
});
