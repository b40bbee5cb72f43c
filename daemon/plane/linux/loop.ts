/** Waits for events of many descriptors, within the event loop of Node. */
import { closeOnExec, epoll } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import { Descriptor } from '../../process/libc/descriptor.ts';
import { EventLoop } from '../../process/libc/event-loop.ts';
import { errno, type Libc, succeeded } from '../../process/libc/libc.ts';

const eventsPerPoll = 256;
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
  #waitUs: number;
  /** The start of this poll, whole milliseconds of `performance.now()`, which a connection stores without an object. */
  now = Math.floor(performance.now());
  readonly #epoll: Descriptor;
  readonly #events: Block;
  /** Arguments of one `epoll_ctl`. */
  readonly #event: Block;
  readonly #node: EventLoop;
  /** By descriptor. */
  readonly #watched: (Watched | undefined)[] = [];
  #size = 0;
  #queued: Watched[] = [];
  readonly #closing: Watched[] = [];
  #isScheduled = false;

  /**
   * `waitUs`: how long a poll waits after a poll with several events, in microseconds. Node handles nothing else meanwhile.
   * @throws Error when the system refuses
   */
  constructor(libc: Libc, waitUs: number) {
    this.libc = libc;
    this.#waitUs = waitUs;
    const bytes = libc.architecture.epollEvent.words * 4;
    this.#events = libc.allocate(bytes * eventsPerPoll);
    this.#event = libc.allocate(bytes);
    this.#epoll = new Descriptor(succeeded('epoll_create1', libc.epollCreate(closeOnExec)));
    this.#node = EventLoop.of(libc);
  }

  /** Watches a descriptor until it is closed. Returns a negative error number when the system refuses. */
  add(watched: Watched, events: number): number {
    const { data } = this.libc.architecture.epollEvent;
    const { words } = this.#event;
    words[0] = events | epoll.edge;
    words[data] = watched.fd;
    words[data + 1] = watched.generation;
    const result = this.libc.epollControl(this.#epoll.fd, epoll.add, watched.fd, this.#event);
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
    let count = this.#poll(0);
    for (let polls = 1; polls < pollsPerTurn && count > 0; polls += 1)
      count = this.#poll(count >= busyEvents && this.#queued.length === 0 ? this.#waitUs : 0);
    if (count > 0 || this.#queued.length > 0) this.#schedule();
    else if (this.#size > 0) this.#node.wait(this.#epoll.fd, this.#schedule);
    else this.#node.leave(this.#epoll.fd);
  };

  /** Returns how many events there were within some microseconds, or a negative error number. */
  #poll(waitUs: number): number {
    const count = this.#take(waitUs);
    this.now = Math.floor(performance.now());
    this.#dispatch(count);
    this.#proceed();
    this.#closeAll();
    return count;
  }

  #take(waitUs: number): number {
    const [{ fd }, events] = [this.#epoll, this.#events];
    if (waitUs === 0) return this.libc.epollPoll(fd, events, eventsPerPoll);
    const count = this.libc.epollWait(fd, events, eventsPerPoll, waitUs);
    if (count < 0 && count !== -errno.EINTR) this.#waitUs = 0; // an old kernel, or a filter of system calls
    return count;
  }

  #dispatch(count: number): void {
    const { words: step, data } = this.libc.architecture.epollEvent;
    const { words } = this.#events;
    for (let at = 0; at < count * step; at += step) {
      const watched = this.#watched[words[at + data] as number];
      const isCurrent = watched !== undefined && watched.generation === words[at + data + 1];
      if (isCurrent && !watched.isClosing) watched.onEvents(words[at] as number);
    }
  }

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
