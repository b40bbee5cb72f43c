import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { createWriter } from './writer.ts';

/** A side that is written to, and whether the other is read from. */
function stalled() {
  const taken: (() => void)[] = [];
  const to = new Writable({
    highWaterMark: 65_536,
    write: (_chunk, _encoding, done) => void taken.push(done),
  });
  const from = new Readable({ read: () => {} });
  from.resume();
  const isReading = () => !from.isPaused();
  const take = async () => {
    for (let done = taken.shift(); done; done = taken.shift()) {
      done();
      await turn();
    }
  };
  return { write: createWriter(from, to), isReading, take };
}

test('single bytes for a reader that has stalled are not heaped up, and go on when it reads', async () => {
  const { write, isReading, take } = stalled();
  let written = 0;
  for (; isReading() && written < 10_000; written += 1) write(Uint8Array.of(written));
  assert.equal(written, daemonBounds.relayChunks + 1);
  await take();
  assert.equal(isReading(), true);
});

test('a reader that takes everything at once is never waited for', async () => {
  const { write, isReading, take } = stalled();
  for (let count = 0; count < 1000; count += 1) {
    write(Uint8Array.of(1));
    await take();
  }
  assert.equal(isReading(), true);
});
