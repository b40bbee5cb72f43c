import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { fact, opaque } from './events.ts';
import { type Channel, hasFirst, type MessageHandler, openMessages, passAll } from './messages.ts';

const { inspectorPendingBytes } = daemonBounds;

/** A session whose client sends messages with a four-byte length prefix. Collects the beginnings that were read. */
function follow(
  wants: MessageHandler['bytesToRead'],
  onRead: (beginning: Buffer, channel: Channel) => void = () => {},
) {
  const seen: Buffer[] = [];
  const session = openMessages((channel) => ({
    client: {
      size: (bytes, at, end) => (end - at < 4 ? 0 : bytes.readUInt32BE(at)),
      bytesToRead: wants,
      read: (beginning) => {
        seen.push(Buffer.from(beginning));
        onRead(beginning, channel);
      },
    },
    server: passAll,
  }));
  return { session, seen };
}

function message(size: number, fill = 0x61): Buffer {
  const bytes = Buffer.alloc(size, fill);
  bytes.writeUInt32BE(size);
  return bytes;
}

const inBytes = (bytes: Buffer) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

test('passes at most the bound of a message, and finds the next one', () => {
  const sent = Buffer.concat([message(3 * inspectorPendingBytes), message(8, 0x62)]);
  for (const chunks of [[sent], inBytes(sent)]) {
    const { session, seen } = follow((_bytes, _at, size) => size);
    for (const chunk of chunks) assert.deepEqual(session.feed('client', chunk), []);
    assert.deepEqual(seen, [sent.subarray(0, inspectorPendingBytes), message(8, 0x62)]);
  }
});

test('does not copy a message in one chunk', () => {
  const sent = message(100);
  const { session } = follow(
    () => 50,
    (beginning) => assert.equal(beginning.buffer, sent.buffer),
  );
  session.feed('client', sent);
});

test('does not buffer a skipped message, and counts it once', () => {
  let passed = 0;
  const session = openMessages(() => ({
    client: { size: () => 1000, bytesToRead: () => 0, read: () => assert.fail(), pass: () => (passed += 1) },
    server: passAll,
  }));
  for (const chunk of inBytes(Buffer.alloc(3000))) session.feed('client', chunk);
  assert.equal(passed, 3);
});

test('refuses a message whose size is unknown at the bound', () => {
  const never: MessageHandler = { size: () => 0, bytesToRead: () => 0, read: () => {} };
  const open = () => openMessages(() => ({ client: never, server: passAll }));
  const ended = [{ kind: 'violation', reason: 'message_too_long' }];
  assert.deepEqual(open().feed('client', Buffer.alloc(inspectorPendingBytes)), []);
  assert.deepEqual(open().feed('client', Buffer.alloc(inspectorPendingBytes + 1)), ended);
  const session = open();
  const chunks = inBytes(Buffer.alloc(inspectorPendingBytes + 1));
  assert.deepEqual(
    chunks.flatMap((chunk) => session.feed('client', chunk)),
    ended,
  );
});

test('reads nothing after the end of the inspection', () => {
  const { session, seen } = follow(
    (_bytes, _at, size) => size,
    (_beginning, { emit }) => {
      emit(opaque('tls'));
      emit(fact('late', 'x'));
    },
  );
  assert.deepEqual(session.feed('client', Buffer.concat([message(8), message(8)])), [opaque('tls')]);
  assert.equal(seen.length, 1);
  assert.equal(session.isDone(), true);
  assert.deepEqual(session.feed('client', message(8)), []);
});

test('a first message suffices when it is complete, invalid or at the buffer limit', () => {
  const sizeOf = (size: number) => hasFirst(() => size);
  const bytes = (length: number) => Buffer.alloc(length);
  assert.equal(sizeOf(10)(bytes(9)), false);
  assert.equal(sizeOf(10)(bytes(10)), true);
  assert.equal(sizeOf(-1)(bytes(1)), true);
  assert.equal(sizeOf(0)(bytes(inspectorPendingBytes - 1)), false);
  assert.equal(sizeOf(0)(bytes(inspectorPendingBytes)), true);
  assert.equal(sizeOf(inspectorPendingBytes * 2)(bytes(inspectorPendingBytes)), true);
  assert.equal(sizeOf(-1)(bytes(0)), false);
});
