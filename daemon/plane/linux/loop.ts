/** Waits for events of many descriptors, within the event loop of Node. */
import { Descriptor } from '../../process/libc/descriptor.ts';
import { EventLoop } from '../../process/libc/event-loop.ts';
import type { Libc } from '../../process/libc/libc.ts';
import { Poll } from './poll.ts';

/** Node handles its timers, promises and files between turns. A pass through its loop costs more than a poll. */
const pollsPerTurn = 8;
/** Events of a poll after which more are waited for. One connection at a time has fewer, and would wait for nothing. */
const busyEvents = 4;

/** Bits of `Watched.state`: one number takes less memory than a field for each. */
export const state = {
  /** It continues after the next poll without an event. */
  queued: 1,
  /** It is closed after the events of this poll, and gets none any more. */
  closing: 2,
  /** The loop reports its events. */
  watched: 4,
  /** It may have bytes to read. */
  readable: 8,
  /** The system reported an error or the end of both directions, so it is read until that. */
  final: 16,
  /** The other end sends no more, and all of its bytes are read. */
  ended: 32,
  /** The direction that is written was ended. */
  shut: 64,
  /** Writing failed. */
  broken: 128,
  /** TCP_NODELAY is not set: a short segment waits until the one before it is acknowledged. */
  delaying: 256,
  /** Bytes were written. */
  written: 512,
  /** A byte was sent out of band. Reading stops before it and has to be repeated, and splicing never gets past it. */
  urgent: 1024,
  /** A write failed for another reason than the end. Reads do not report that again, but an end. */
  lost: 2048,
  /** The system reported an error before all bytes were read. */
  failed: 4096,
  /** A Unix socket. A read stops after a message that had a descriptor, and has to be repeated. */
  unix: 8192,
  /** The other end has sent its end, and the system reported no error. */
  complete: 16384,
  /** All bytes before that end are read. */
  drained: 32768,
  /** TCP_QUICKACK is off: acknowledgments wait for bytes that they are sent with. */
  quiet: 65536,
} as const;
type Bit = (typeof state)[keyof typeof state];

/** A descriptor that a loop watches. */
export abstract class Watched extends Descriptor {
  #state = 0;

  is(bit: Bit): boolean {
    return (this.#state & bit) !== 0;
  }

  set(bit: Bit): void {
    this.#state |= bit;
  }

  clear(bit: Bit): void {
    this.#state &= ~bit;
  }

  get isClosing(): boolean {
    return this.is(state.closing);
  }

  /** Called when it became readable or writable. */
  abstract onEvents(events: number): void;
  /** Called after the poll that follows `Loop.queue`. */
  abstract proceed(): void;
  /** Called once after it is closed. */
  abstract onClosed(): void;
}

/** Edge-triggered: an event is reported once, so its descriptor is then read or written until the call fails with EAGAIN. */
export class Loop {
  readonly libc: Libc;
  /** The start of this poll, whole milliseconds of `performance.now()`, which a connection stores without an object. */
  now = Math.floor(performance.now());
  readonly #poll: Poll;
  readonly #node: EventLoop;
  /** By descriptor. */
  readonly #watched: (Watched | undefined)[] = [];
  #size = 0;
  #queued: Watched[] = [];
  readonly #closing: Watched[] = [];
  #isScheduled = false;

  /** @throws Error when the system refuses */
  constructor(libc: Libc) {
    this.libc = libc;
    this.#poll = new Poll(libc);
    this.#node = EventLoop.of(libc);
  }

  /** Watches a descriptor until it is closed. Returns a negative error number when the system refuses. */
  add(watched: Watched, events: number): number {
    const result = this.#poll.add(watched, events);
    if (result < 0) return result;
    watched.set(state.watched);
    this.#watched[watched.fd] = watched;
    return 0;
  }

  /** Counts an open descriptor: the process runs while there are any. */
  hold(): void {
    if (this.#size === 0) this.#schedule();
    this.#size += 1;
  }

  /** Calls `proceed` after the next poll. */
  queue(watched: Watched): void {
    if (watched.is(state.queued)) return;
    watched.set(state.queued);
    this.#queued.push(watched);
    this.#schedule();
  }

  /** Closes after the events of this poll. */
  close(watched: Watched): void {
    if (watched.isClosing) return;
    watched.set(state.closing);
    this.#closing.push(watched);
    this.#schedule();
  }

  /** Promises continue after an immediate, but not after the call of `EventLoop.wait`. */
  #schedule = (): void => {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  };

  #turn = (): void => {
    this.#isScheduled = false;
    let count = this.#handle(this.#poll.take());
    for (let polls = 1; polls < pollsPerTurn && count > 0; polls += 1) {
      const isBusy = count >= busyEvents && this.#queued.length === 0;
      count = this.#handle(isBusy ? this.#poll.takeSoon() : this.#poll.take());
    }
    if (count > 0 || this.#queued.length > 0) this.#schedule();
    else if (this.#size > 0) this.#node.wait(this.#poll.fd, this.#schedule);
    else this.#node.leave(this.#poll.fd);
  };

  /** Returns how many events there were, or a negative error number. */
  #handle(count: number): number {
    this.now = Math.floor(performance.now());
    this.#poll.forEach(count, this.#dispatch);
    this.#proceed();
    this.#closeAll();
    return count;
  }

  #dispatch = (fd: number, generation: number, events: number): void => {
    const watched = this.#watched[fd];
    if (watched !== undefined && watched.generation === generation && !watched.isClosing) watched.onEvents(events);
  };

  #proceed(): void {
    const queued = this.#queued;
    if (queued.length === 0) return;
    this.#queued = [];
    for (const watched of queued) {
      watched.clear(state.queued);
      if (!watched.isClosing) watched.proceed();
    }
  }

  /** What is closed meanwhile is closed too. */
  #closeAll(): void {
    const closing = this.#closing;
    for (let index = 0; index < closing.length; index += 1) {
      const watched = closing[index] as Watched;
      if (this.#watched[watched.fd] === watched) this.#watched[watched.fd] = undefined;
      watched.close(this.libc);
      this.#size -= 1;
      watched.onClosed();
    }
    closing.length = 0;
  }
}
