import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { HelloRecords } from './tls-records.ts';

const bodyBytes = 500;
const hello = Buffer.alloc(4 + bodyBytes, 'x');
hello[0] = 1;
hello.writeUIntBE(bodyBytes, 1, 3);

/** The hello in `count` records. All but the last record have one byte. */
function inRecords(count: number): Buffer {
  const pieces = Array.from({ length: count }, (_, index) =>
    hello.subarray(index, index === count - 1 ? hello.length : index + 1),
  );
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.of(22, 3, 1, piece.length >> 8, piece.length & 0xff), piece]));
}

test('reads a hello from as many records as the bound allows, in chunks of any size', () => {
  const bytes = inRecords(daemonBounds.helloRecords);
  for (const size of [1, 7, bytes.length]) {
    const records = new HelloRecords();
    let outcome = records.feed(Buffer.alloc(0));
    for (let at = 0; at < bytes.length; at += size) outcome = records.feed(bytes.subarray(at, at + size));
    assert.deepEqual(outcome, { kind: 'hello', body: hello.subarray(4), length: bytes.length % size || size });
  }
});

test('leaves the bytes behind the record with the end of a hello', () => {
  const outcome = new HelloRecords().feed(Buffer.concat([inRecords(2), Buffer.from('abc')]));
  assert.deepEqual(outcome, { kind: 'hello', body: hello.subarray(4), length: inRecords(2).length });
});

test('refuses a hello that shares a record with other bytes', () => {
  const longer = Buffer.concat([hello, Buffer.from('x')]);
  const bytes = Buffer.concat([Buffer.of(22, 3, 1, longer.length >> 8, longer.length & 0xff), longer]);
  for (const size of [1, hello.length, bytes.length]) {
    const records = new HelloRecords();
    const kinds = new Set<string>();
    for (let at = 0; at < bytes.length && !kinds.has('fault'); at += size)
      kinds.add(records.feed(bytes.subarray(at, at + size)).kind);
    assert.equal(kinds.has('fault') && !kinds.has('hello'), true);
  }
});

test('refuses a hello in more records, which would cost more than its bytes', () => {
  const bytes = inRecords(daemonBounds.helloRecords + 1);
  assert.deepEqual(new HelloRecords().feed(bytes), { kind: 'fault', reason: 'hello_too_split' });
});
