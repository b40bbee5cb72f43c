/** Waits for events of many descriptors within the event loop of Node. */
import { Descriptor } from '../../process/libc/descriptor.ts';
import { EventLoop } from '../../process/libc/event-loop.ts';
import type { Libc } from '../../process/libc/libc.ts';
import { monotonicMs } from '../../time/clock.ts';
import { Poll } from './poll.ts';

/**
 * The largest number of polls in one turn of Node's event loop. Turns cost more than polls, but Node's timers, promises
 * and files wait for the end of a turn.
 */
const pollsPerTurn = 8;
/**
 * Milliseconds after which a turn ends, also between the events of one poll, and relays read no more than once for an
 * event. Without it, a flood of bytes that take long to inspect stops the process for seconds, and the coordinator takes
 * it for hung.
 */
const turnMs = 20;
/** After a poll with at least this many events, the next one may wait, to return more. One connection causes fewer. */
const busyEvents = 4;

/** Bits of `Watched.state`. One number needs less memory than a field for each. */
export const state = {
  /** `proceed` is called after the next poll, even without an event. */
  queued: 1,
  /** The descriptor is closed after the events of this poll. It gets no more events. */
  closing: 2,
  watched: 4,
  readable: 8,
  /** An error or the end of both directions was reported. Reads continue until one returns it. */
  errorOrHangUp: 16,
  /** A read returned the end: the other end has finished sending. */
  endRead: 32,
  shut: 64,
  broken: 128,
  /** TCP_NODELAY is not set: a short segment waits for the acknowledgment of the previous one. */
  delaying: 256,
  written: 512,
  /** An out-of-band byte arrived. A read stops before it and must be repeated. A splice never moves past it. */
  urgent: 1024,
  /** A write failed with an error other than EPIPE. Reads do not report that error again: they report an end. */
  writeFailed: 2048,
  /** The system reported an error before all bytes were read. */
  errorReported: 4096,
  /** A Unix socket. A read stops after a message with a descriptor and must be repeated. */
  unix: 8192,
  /** The other end has finished sending, and the system reported no error. */
  endReported: 16384,
  /** `endReported` is set, and all bytes are read. A read would return the end. */
  allRead: 32768,
  /** TCP_QUICKACK is off: acknowledgments wait until they can be sent together with data. */
  quiet: 65536,
  /** The inspection holds bytes of this side. It is not read meanwhile. */
  held: 131072,
} as const;
type Bit = (typeof state)[keyof typeof state];

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

  abstract onEvents(events: number): void;
  /** Called after the poll that follows `Loop.queue`. */
  abstract proceed(): void;
  /** Called once after the descriptor was closed. */
  abstract onClosed(): void;
}

/** Watches descriptors edge-triggered, with one event for each change: the owner reads or writes until EAGAIN. */
export class Loop {
  readonly libc: Libc;
  /** When the last poll returned, in whole milliseconds. V8 would allocate an object for a fraction. */
  now = Math.floor(monotonicMs());
  readonly #poll: Poll;
  readonly #node: EventLoop;
  readonly #watched: (Watched | undefined)[] = [];
  #size = 0;
  #queued: Watched[] = [];
  readonly #closing: Watched[] = [];
  #isScheduled = false;
  #turnEndsAt = 0;
  /** The events of the last poll, if the turn has ended before all were handled, and the index of the next one. */
  #leftCount = 0;
  #nextEvent = 0;

  /** @throws Error when the system refuses an epoll descriptor */
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

  /** Counts an open descriptor. The process runs until all are closed. */
  holdProcess(): void {
    if (this.#size === 0) this.#schedule();
    this.#size += 1;
  }

  /** Calls `proceed` of the owner after the next poll. */
  queue(watched: Watched): void {
    if (watched.is(state.queued)) return;
    watched.set(state.queued);
    this.#queued.push(watched);
    this.#schedule();
  }

  close(watched: Watched): void {
    if (watched.isClosing) return;
    watched.set(state.closing);
    this.#closing.push(watched);
    this.#schedule();
  }

  /**
   * Schedules a turn. The turn runs as an immediate, because Node continues promises after an immediate, but not after
   * the callback of `EventLoop.wait`.
   */
  #schedule = (): void => {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  };

  #turn = (): void => {
    this.#isScheduled = false;
    this.#turnEndsAt = monotonicMs() + turnMs;
    let count = this.#handle(this.#leftCount > 0 ? this.#leftCount : this.#poll.poll());
    for (let polls = 1; polls < pollsPerTurn && count > 0 && !this.isTurnOver(); polls += 1) {
      const isBusy = count >= busyEvents && this.#queued.length === 0;
      count = this.#handle(isBusy ? this.#poll.pollOrWaitShortly() : this.#poll.poll());
    }
    if (count > 0 || this.#queued.length > 0) this.#schedule();
    else if (this.#size > 0) this.#node.wait(this.#poll.fd, this.#schedule);
    else this.#node.leave(this.#poll.fd);
  };

  /** Whether Node's timers have waited long enough for the end of this turn. */
  isTurnOver(): boolean {
    return monotonicMs() >= this.#turnEndsAt;
  }

  /** Handles the events of a poll. Returns its argument: the number of events, or a negative error number. */
  #handle(count: number): number {
    this.now = Math.floor(monotonicMs());
    const next = this.#poll.forEach(this.#nextEvent, count, this.#dispatch);
    this.#leftCount = next < count ? count : 0;
    this.#nextEvent = next < count ? next : 0;
    this.#proceed();
    this.#closeAll();
    return count;
  }

  #dispatch = (fd: number, generation: number, events: number): boolean => {
    const watched = this.#watched[fd];
    if (watched !== undefined && watched.generation === generation && !watched.isClosing) watched.onEvents(events);
    return !this.isTurnOver();
  };

  #proceed(): void {
    const queued = this.#queued;
    if (queued.length === 0) return;
    this.#queued = [];
    let count = 0;
    for (const watched of queued) {
      count += 1;
      watched.clear(state.queued);
      if (!watched.isClosing) watched.proceed();
      if (this.isTurnOver()) break;
    }
    // Those that are left precede those that were queued meanwhile.
    if (count < queued.length) this.#queued = [...queued.slice(count), ...this.#queued];
  }

  /** Closes the descriptors, including those that `onClosed` adds. */
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
