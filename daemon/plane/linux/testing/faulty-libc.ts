/** A libc whose calls sometimes fail, or handle fewer bytes than requested. */
import { epoll } from '../../../process/libc/abi.ts';
import type { Block } from '../../../process/libc/block.ts';
import { errno, Libc } from '../../../process/libc/libc.ts';
import { loadFfi } from '../../../process/libc/open.ts';

interface Registered {
  readonly epoll: number;
  readonly event: Block;
}

/** `EPOLL_CTL_MOD`. After it, edge-triggered epoll reports a descriptor once more that is still ready. */
const modify = 3;

export type Call = 'accept' | 'socket' | 'connect' | 'read' | 'write' | 'splice' | 'pipe';

/** The errors with which each call can fail. */
const errors: Readonly<Record<Call, readonly number[]>> = {
  accept: [errno.EINTR, errno.ECONNABORTED, errno.EMFILE, errno.ENOBUFS],
  socket: [errno.EMFILE, errno.ENOBUFS],
  connect: [errno.EINTR],
  read: [errno.EINTR, errno.EAGAIN, errno.ECONNRESET],
  write: [errno.EINTR, errno.EAGAIN, errno.ECONNRESET, errno.ENOBUFS],
  splice: [errno.EINTR, errno.EAGAIN, errno.ECONNRESET, errno.EINVAL],
  pipe: [errno.EMFILE],
};

/** Errors that end a connection. They are rarer, so that most connections survive several faults. */
const fatalErrors: ReadonlySet<number> = new Set([errno.ECONNRESET, errno.ENOBUFS]);

export interface Chances {
  readonly random: () => number;
  /** The chance that a call fails, and that it handles fewer bytes. Fatal errors are rarer. */
  readonly share: number;
}

export class FaultyLibc extends Libc {
  /** `calls`: calls that could have failed. `faults`: calls that failed or handled fewer bytes. */
  calls = 0;
  faults = 0;
  readonly #chances: Chances;
  readonly #registered = new Map<number, Registered>();
  /** Descriptors whose end was reported. From then on, a read returns all bytes that fit (epoll(7)). */
  readonly #ended = new Set<number>();

  constructor(chances: Chances) {
    super(loadFfi());
    this.#chances = chances;
  }

  /** Decides whether a call fails. Returns a negative error number, or undefined for no fault. */
  #fault(call: Call): number | undefined {
    const { random, share } = this.#chances;
    this.calls += 1;
    if (random() >= share) return undefined;
    const possible = errors[call];
    const error = possible[Math.floor(random() * possible.length)] as number;
    if (fatalErrors.has(error) && random() < 0.9) return undefined;
    this.faults += 1;
    return -error;
  }

  /**
   * Makes epoll report an event again. The kernel does so when a descriptor becomes ready after EAGAIN or after fewer
   * bytes than requested.
   */
  #reportAgain(fd: number): void {
    const registered = this.#registered.get(fd);
    if (registered) super.epollControl(registered.epoll, modify, fd, registered.event);
  }

  #fail(fd: number, error: number): number {
    if (error === -errno.EAGAIN) this.#reportAgain(fd);
    return error;
  }

  #shortened(fd: number, length: number): number {
    const { random, share } = this.#chances;
    if (length < 2 || random() >= share) return length;
    this.faults += 1;
    this.#reportAgain(fd);
    return 1 + Math.floor(random() * (length - 1));
  }

  override epollControl(descriptor: number, operation: number, fd: number, event: Block): number {
    if (operation === epoll.add) {
      const copy = this.allocate(event.size);
      copy.bytes.set(event.bytes);
      this.#registered.set(fd, { epoll: descriptor, event: copy });
    }
    return super.epollControl(descriptor, operation, fd, event);
  }

  override epollPoll(descriptor: number, events: Block, most: number): number {
    const count = super.epollPoll(descriptor, events, most);
    const { words: step, data } = this.architecture.epollEvent;
    for (let at = 0; at < count * step; at += step)
      if ((events.words[at] as number) & epoll.peerEnded) this.#ended.add(events.words[at + data] as number);
    return count;
  }

  override close(fd: number): number {
    this.#registered.delete(fd);
    this.#ended.delete(fd);
    return super.close(fd);
  }

  override accept(fd: number, address: Block, flags: number): number {
    return this.#fault('accept') ?? super.accept(fd, address, flags);
  }

  override socket(family: number, type: number): number {
    return this.#fault('socket') ?? super.socket(family, type);
  }

  /** Connects, then may report an interruption: an interrupted connect(2) continues in the background. */
  override connect(fd: number, address: Block, length: number): number {
    const result = super.connect(fd, address, length);
    return this.#fault('connect') ?? result;
  }

  override pipe(into: Block, flags: number): number {
    return this.#fault('pipe') ?? super.pipe(into, flags);
  }

  override read(fd: number, into: Block, length = into.size): number {
    const error = this.#fault('read');
    if (error !== undefined) return this.#fail(fd, error);
    return super.read(fd, into, this.#ended.has(fd) ? length : this.#shortened(fd, length));
  }

  override write(fd: number, from: Block, offset: number, length: number): number {
    const error = this.#fault('write');
    return error === undefined ? super.write(fd, from, offset, this.#shortened(fd, length)) : this.#fail(fd, error);
  }

  override splice(from: number, to: number, length: number): number {
    const error = this.#fault('splice');
    if (error === undefined) {
      const some = this.#shortened(from, length);
      if (some < length) this.#reportAgain(to);
      return super.splice(from, to, some);
    }
    this.#reportAgain(to);
    return this.#fail(from, error);
  }
}
