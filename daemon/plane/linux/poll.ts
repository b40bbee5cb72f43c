/** The events of many descriptors: those that are there, or those that follow soon. */
import { closeOnExec, epoll } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import { errno, type Libc, succeeded } from '../../process/libc/libc.ts';
import type { Watched } from './loop.ts';

const eventsPerPoll = 256;
/**
 * Under load, events are some ten microseconds apart. Waiting for them saves passes through Node's loop: a quarter of a
 * connection's processor time in a worker. What Node has to do meanwhile is delayed by that much.
 */
const waitUs = 100;
/** A yield to clients and upstreams on the same processor is shorter. A program that computes keeps it for some milliseconds. */
const longYieldMs = 1;
/** How many times as long as a long yield the time after it is that has no other: such a program takes a tenth by them at most. */
const keptAfterYield = 10;

/** Edge-triggered: an event is reported once. */
export class Poll {
  readonly fd: number;
  readonly #libc: Libc;
  readonly #time: () => number;
  readonly #events: Block;
  /** Arguments of one `epoll_ctl`. */
  readonly #event: Block;
  #waitUs = waitUs;
  #yieldsFrom = Number.NEGATIVE_INFINITY;

  /**
   * `time`: milliseconds.
   * @throws Error when the system refuses
   */
  constructor(libc: Libc, time: () => number = () => performance.now()) {
    this.#libc = libc;
    this.#time = time;
    const bytes = libc.architecture.epollEvent.words * 4;
    this.#events = libc.allocate(bytes * eventsPerPoll);
    this.#event = libc.allocate(bytes);
    this.fd = succeeded('epoll_create1', libc.epollCreate(closeOnExec));
  }

  /** Watches a descriptor until it is closed. Returns a negative error number when the system refuses. */
  add(watched: Watched, events: number): number {
    const { data } = this.#libc.architecture.epollEvent;
    const { words } = this.#event;
    words[0] = events | epoll.edge;
    words[data] = watched.fd;
    words[data + 1] = watched.generation;
    return this.#libc.epollControl(this.fd, epoll.add, watched.fd, this.#event);
  }

  /** Returns how many events there are, or a negative error number. */
  take(): number {
    return this.#libc.epollPoll(this.fd, this.#events, eventsPerPoll);
  }

  /** The same, and waits some microseconds for an event if there is none. */
  takeSoon(): number {
    this.#yield();
    const count = this.take();
    return count === 0 && this.#waitUs > 0 ? this.#wait() : count;
  }

  /** Calls `each` with the events that were taken. */
  forEach(count: number, each: (fd: number, generation: number, events: number) => void): void {
    const { words: step, data } = this.#libc.architecture.epollEvent;
    const { words } = this.#events;
    for (let at = 0; at < count * step; at += step)
      each(words[at + data] as number, words[at + data + 1] as number, words[at] as number);
  }

  /**
   * Clients and upstreams that wait for this processor run, and what they send is in one poll instead of several. It returns
   * at once where nothing else would run.
   */
  #yield(): void {
    const from = this.#time();
    if (from < this.#yieldsFrom) return;
    this.#libc.yieldProcessor();
    const until = this.#time();
    const lasted = until - from;
    if (lasted > longYieldMs) this.#yieldsFrom = until + lasted * keptAfterYield;
  }

  #wait(): number {
    const count = this.#libc.epollWait(this.fd, this.#events, eventsPerPoll, this.#waitUs);
    if (count < 0 && count !== -errno.EINTR) this.#waitUs = 0; // an old kernel, or a filter of system calls
    return count;
  }
}
