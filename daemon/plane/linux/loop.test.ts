import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block } from '../../process/libc/block.ts';
import { Libc } from '../../process/libc/libc.ts';
import { loadFfi } from '../../process/libc/open.ts';
import { skip } from '../../process/libc/testing/libc.ts';
import { Loop, Watched } from './loop.ts';

function compute(): void {
  const end = performance.now() + 25;
  while (performance.now() < end);
}

/** A machine on which each of the first polls returns an event, and all are handled in 25 ms. */
class BusyLibc extends Libc {
  polls = 0;

  override epollPoll(): number {
    this.polls += 1;
    compute();
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

/** A connection whose bytes take 25 ms to inspect. */
class Slow extends Idle {
  readonly handled: string[] = [];

  override onEvents(): void {
    compute();
    this.handled.push('event');
  }

  override proceed(): void {
    compute();
    this.handled.push('proceed');
  }
}

/** A machine whose first poll returns an event of each descriptor. */
class EventLibc extends Libc {
  readonly added: number[][] = [];
  polls = 0;

  override epollControl(_epoll: number, _operation: number, _fd: number, { words }: Block): number {
    this.added.push([...words]);
    return 0;
  }

  override epollPoll(_epoll: number, { words }: Block): number {
    this.polls += 1;
    if (this.polls > 1) return 0;
    this.added.forEach((event, index) => {
      words.set(event, index * event.length);
    });
    return this.added.length;
  }

  override yieldProcessor(): void {}
}

test('Node continues between connections whose bytes take long, and each of them is handled once', {
  skip,
}, async () => {
  const libc = new EventLibc(loadFfi());
  const loop = new Loop(libc);
  const slow = [1_000_000, 1_000_001, 1_000_002].map((fd) => new Slow(fd));
  for (const each of slow) loop.add(each, 1);
  for (const each of slow) loop.queue(each);
  const handled = () => slow.flatMap((each) => each.handled);
  for (let turn = 1; turn <= 3; turn += 1) {
    await nextTurn();
    assert.equal(handled().length, 2 * turn, 'an event and a queued connection in each turn');
  }
  await nextTurn();
  assert.deepEqual(
    slow.map((each) => each.handled.sort()),
    slow.map(() => ['event', 'proceed']),
  );
});
