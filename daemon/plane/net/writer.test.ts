import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Writer } from './writer.ts';

/** A writer to a destination that does not drain. Reports whether the source is read. */
function stalled() {
  const pendingWrites: (() => void)[] = [];
  const to = new Writable({
    highWaterMark: 65_536,
    write: (_chunk, _encoding, done) => void pendingWrites.push(done),
  });
  const from = new Readable({ read: () => {} });
  from.resume();
  const isReading = () => !from.isPaused();
  const drain = async () => {
    for (let done = pendingWrites.shift(); done; done = pendingWrites.shift()) {
      done();
      await turn();
    }
  };
  const writer = new Writer(from, to, { activeAt: 0 });
  return { write: (chunk: Uint8Array) => writer.write(chunk), isReading, drain };
}

test('does not accumulate single bytes for a stalled reader, and continues when it reads', async () => {
  const { write, isReading, drain } = stalled();
  let written = 0;
  for (; isReading() && written < 10_000; written += 1) write(Uint8Array.of(written));
  assert.equal(written, daemonBounds.relayChunks + 1);
  await drain();
  assert.equal(isReading(), true);
});

test('never pauses for a reader that drains at once', async () => {
  const { write, isReading, drain } = stalled();
  for (let count = 0; count < 1000; count += 1) {
    write(Uint8Array.of(1));
    await drain();
  }
  assert.equal(isReading(), true);
});
