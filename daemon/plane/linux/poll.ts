/** Polls the kernel for the events of many descriptors, with epoll(7). */
import { closeOnExec, epoll } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import type { Descriptor } from '../../process/libc/descriptor.ts';
import { errno, type Libc, succeeded } from '../../process/libc/libc.ts';

const eventsPerPoll = 256;
/**
 * The wait for the next event, in microseconds. Under load, events are about ten microseconds apart. The wait saves
 * passes through Node's loop, and delays Node's timers and promises by up to this time.
 */
const waitUs = 100;
/** A yield of more than this time shows that another program computes. */
const longYieldMs = 1;
/** After a long yield, no yield follows for this many times its length. */
const pausePerYield = 10;

export class Poll {
  readonly fd: number;
  readonly #libc: Libc;
  readonly #time: () => number;
  readonly #events: Block;
  readonly #event: Block;
  #waitUs = waitUs;
  #yieldsFrom = Number.NEGATIVE_INFINITY;

  /** `time`: a clock in milliseconds. @throws Error when the system refuses an epoll descriptor */
  constructor(libc: Libc, time: () => number = () => performance.now()) {
    this.#libc = libc;
    this.#time = time;
    const bytes = libc.architecture.epollEvent.words * 4;
    this.#events = libc.allocate(bytes * eventsPerPoll);
    this.#event = libc.allocate(bytes);
    this.fd = succeeded('epoll_create1', libc.epollCreate(closeOnExec));
  }

  /** Watches a descriptor until it is closed. Returns a negative error number when the system refuses. */
  add(watched: Descriptor, events: number): number {
    const { data } = this.#libc.architecture.epollEvent;
    const { words } = this.#event;
    words[0] = events | epoll.edge;
    words[data] = watched.fd;
    words[data + 1] = watched.generation;
    return this.#libc.epollControl(this.fd, epoll.add, watched.fd, this.#event);
  }

  /** Polls without waiting. Returns the number of events or a negative error number. */
  poll(): number {
    return this.#libc.epollPoll(this.fd, this.#events, eventsPerPoll);
  }

  /** Like `poll`, but waits up to `waitUs` when there is no event. */
  pollOrWaitShortly(): number {
    this.#yield();
    const count = this.poll();
    return count === 0 && this.#waitUs > 0 ? this.#wait() : count;
  }

  /** Calls `each` for the events from `first` on, until it returns false. Returns the index of the next event. */
  forEach(first: number, count: number, each: (fd: number, generation: number, events: number) => boolean): number {
    const { words: step, data } = this.#libc.architecture.epollEvent;
    const { words } = this.#events;
    let index = first;
    for (let isWanted = true; isWanted && index < count; index += 1) {
      const at = index * step;
      isWanted = each(words[at + data] as number, words[at + data + 1] as number, words[at] as number);
    }
    return index;
  }

  /** Lets clients and upstreams on this processor run first, so that one poll finds the bytes of several of them. */
  #yield(): void {
    const from = this.#time();
    if (from < this.#yieldsFrom) return;
    this.#libc.yieldProcessor();
    const until = this.#time();
    const lasted = until - from;
    if (lasted > longYieldMs) this.#yieldsFrom = until + lasted * pausePerYield;
  }

  #wait(): number {
    const count = this.#libc.epollWait(this.fd, this.#events, eventsPerPoll, this.#waitUs);
    // The kernel has no epoll_pwait2, or a seccomp filter refuses it.
    if (count < 0 && count !== -errno.EINTR) this.#waitUs = 0;
    return count;
  }
}
