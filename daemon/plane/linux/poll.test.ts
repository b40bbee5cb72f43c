import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Libc } from '../../process/libc/libc.ts';
import { loadFfi } from '../../process/libc/open.ts';
import { skip } from '../../process/libc/testing/libc.ts';
import { Poll } from './poll.ts';

/** A machine on which another program keeps the processor for `keptMs`. The test sets the clock. */
class SharedProcessor extends Libc {
  now = 0;
  keptMs = 0;
  yields = 0;

  override yieldProcessor(): void {
    this.yields += 1;
    this.now += this.keptMs;
  }

  override epollWait(): number {
    return 0;
  }
}

test('yields the processor before it waits, and for a tenth of the time at most where a program computes', {
  skip,
}, (t) => {
  const libc = new SharedProcessor(loadFfi());
  const poll = new Poll(libc, () => libc.now);
  t.after(() => void libc.close(poll.fd));
  for (let turn = 0; turn < 3; turn += 1) assert.equal(poll.pollOrWaitShortly(), 0);
  assert.equal(libc.yields, 3);
  libc.keptMs = 4;
  poll.pollOrWaitShortly();
  libc.now += 39;
  poll.pollOrWaitShortly();
  assert.equal(libc.yields, 4);
  libc.now += 1;
  poll.pollOrWaitShortly();
  assert.equal(libc.yields, 5);
});
