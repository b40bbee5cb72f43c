/**
 * Waits for descriptors together with Node's event loop. An epoll within the epoll of Node would cost a fortieth of a
 * connection's processor time: each change takes a system-wide lock, and each event is reported twice.
 */
import { pollReadable } from './abi.ts';
import type { Block } from './block.ts';
import type { Libc, NodeLoop } from './libc.ts';

/** The number of 32-bit words in a `struct pollfd`: the descriptor, and two half words. */
const pollWords = 2;

let currentLoop: EventLoop | undefined;

export class EventLoop {
  readonly #libc: Libc;
  readonly #node: NodeLoop;
  readonly #waiting = new Map<number, () => void>();
  #descriptors: Block;

  private constructor(libc: Libc) {
    this.#libc = libc;
    this.#node = libc.eventLoop(() => this.#beforeWait());
    this.#descriptors = libc.allocate(pollWords * 4 * 2);
  }

  /** The event loop of this thread. */
  static of(libc: Libc): EventLoop {
    currentLoop ??= new EventLoop(libc);
    return currentLoop;
  }

  /**
   * Calls `resumed` once: when a descriptor of any caller is readable, Node has other work, or a signal has arrived.
   * The process runs until then or until `leave`. `resumed` must not throw. It must set an immediate, because Node does
   * not continue promises after `resumed`.
   */
  wait(fd: number, resumed: () => void): void {
    if (this.#waiting.size === 0) this.#node.start();
    this.#waiting.set(fd, resumed);
  }

  leave(fd: number): void {
    if (this.#waiting.delete(fd) && this.#waiting.size === 0) this.#node.stop();
  }

  #beforeWait(): void {
    const timeoutMs = this.#node.timeoutMs();
    if (timeoutMs !== 0) this.#poll(timeoutMs);
    this.#node.stop();
    const resumed = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const each of resumed) each();
  }

  /** Returns when a descriptor is readable, Node's loop has events, the time is over, or a signal has arrived. */
  #poll(timeoutMs: number): void {
    const count = this.#waiting.size + 1;
    const bytes = count * pollWords * 4;
    if (bytes > this.#descriptors.size) this.#descriptors = this.#libc.allocate(bytes);
    const { words } = this.#descriptors;
    let at = 0;
    for (const fd of [this.#node.fd, ...this.#waiting.keys()]) {
      words[at] = fd;
      words[at + 1] = pollReadable;
      at += pollWords;
    }
    this.#libc.poll(this.#descriptors, count, timeoutMs);
  }
}
