import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Libc } from '../../process/libc/libc.ts';
import { loadFfi } from '../../process/libc/open.ts';
import { skip } from '../../process/libc/testing/libc.ts';
import { Loop, Watched } from './loop.ts';

/** A machine on which each of the first polls returns an event, and all are handled in 25 ms. */
class BusyLibc extends Libc {
  polls = 0;

  override epollPoll(): number {
    this.polls += 1;
    const end = performance.now() + 25;
    while (performance.now() < end);
    return Number(this.polls < 10);
  }

  override yieldProcessor(): void {}
}

class Idle extends Watched {
  override onEvents(): void {}
  override proceed(): void {}
  override onClosed(): void {}
}

test('Node continues after the first poll of a turn that takes long', { skip }, async (t) => {
  const libc = new BusyLibc(loadFfi());
  const loop = new Loop(libc);
  loop.queue(new Idle(-1));
  t.after(() => nextTurn());
  await nextTurn();
  assert.equal(libc.polls, 1);
});
