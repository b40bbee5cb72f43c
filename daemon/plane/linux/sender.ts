/** Writes to a socket. Bytes that the socket does not accept are kept in a slot or a pipe. */
import { epoll, option, shutdownWrite } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import { errno } from '../../process/libc/libc.ts';
import { state, Watched } from './loop.ts';
import type { Pipe } from './pools.ts';
import type { Shared } from './shared.ts';

type Waiting = { readonly pipe: Pipe } | WaitingSlot;

interface WaitingSlot {
  readonly slot: Block;
  from: number;
  readonly to: number;
}

/** A socket that is written to. Methods that write return 0, or a negative error number when writing failed. */
export abstract class Sender extends Watched {
  readonly #shared: Shared;
  #waiting: Waiting | undefined;

  constructor(shared: Shared, fd: number) {
    super(fd);
    this.#shared = shared;
  }

  get shared(): Shared {
    return this.#shared;
  }

  get isBlocked(): boolean {
    return this.#waiting !== undefined;
  }

  /** The bytes of memory in which bytes wait. Those in a pipe are in the kernel. */
  get waitingBytes(): number {
    return this.#waiting && 'slot' in this.#waiting ? this.#waiting.slot.size : 0;
  }

  get isBroken(): boolean {
    return this.is(state.broken);
  }

  /** Writes bytes of a block. Keeps the bytes that the socket does not accept. */
  send(block: Block, offset: number, length: number): number {
    const written = this.#waiting ? 0 : this.#write(block, offset, length);
    if (written < 0) return written;
    if (written < length) this.#hold(block.bytes.subarray(offset + written, offset + length));
    return 0;
  }

  sendBytes(bytes: Uint8Array): number {
    const { chunk } = this.#shared;
    for (let offset = 0; offset < bytes.length; offset += chunk.size) {
      const piece = bytes.subarray(offset, offset + chunk.size);
      chunk.bytes.set(piece);
      const result = this.send(chunk, 0, piece.length);
      if (result < 0) return result;
    }
    return 0;
  }

  sendPipe(pipe: Pipe): number {
    this.#waiting = { pipe };
    return this.#flushPipe(pipe);
  }

  /** Returns the number of written bytes. 0 when the socket accepts none now. */
  #write(block: Block, offset: number, length: number): number {
    if (this.is(state.delaying)) this.#setNoDelayBeforeSecondWrite();
    const written = this.#shared.libc.write(this.fd, block, offset, length);
    if (written === -errno.EAGAIN) return 0;
    if (written === -errno.EINTR) return this.#write(block, offset, length);
    if (written < 0 && written !== -errno.EPIPE) this.set(state.writeFailed);
    return written;
  }

  /**
   * Sets TCP_NODELAY before the second write. The first write has no acknowledgment to wait for, and often no second
   * write follows.
   */
  #setNoDelayBeforeSecondWrite(): void {
    if (this.is(state.written)) {
      this.clear(state.delaying);
      this.#shared.libc.setOption(this.fd, option.noDelay, 1);
    } else this.set(state.written);
  }

  /** Appends bytes to those in the slot. Must not be called while a pipe has bytes. */
  #hold(bytes: Uint8Array): void {
    const { slots } = this.#shared;
    const old = this.#waiting && 'slot' in this.#waiting ? this.#waiting : undefined;
    const waitingBytes = old ? old.slot.bytes.subarray(old.from, old.to) : bytes.subarray(0, 0);
    const slot = slots.acquire(waitingBytes.length + bytes.length);
    slot.bytes.set(waitingBytes);
    slot.bytes.set(bytes, waitingBytes.length);
    if (old) slots.release(old.slot);
    this.#waiting = { slot, from: 0, to: waitingBytes.length + bytes.length };
  }

  /** Writes the waiting bytes after an event of the socket. The next read reports a failure. */
  flushAfter(events: number): void {
    if (events & epoll.out) this.flush();
  }

  flush(): number {
    const waiting = this.#waiting;
    if (!waiting) return 0;
    return 'pipe' in waiting ? this.#flushPipe(waiting.pipe) : this.#flushSlot(waiting);
  }

  #flushSlot(waiting: WaitingSlot): number {
    while (waiting.from < waiting.to) {
      const written = this.#write(waiting.slot, waiting.from, waiting.to - waiting.from);
      if (written <= 0) return written;
      waiting.from += written;
    }
    this.dropWaiting();
    return 0;
  }

  #flushPipe(pipe: Pipe): number {
    while (pipe.length > 0) {
      const moved = this.#shared.libc.splice(pipe.output.fd, this.fd, pipe.length);
      if (moved === -errno.EAGAIN) return 0;
      if (moved === -errno.EINTR) continue;
      if (moved < 0 && moved !== -errno.EPIPE) this.set(state.writeFailed);
      if (moved <= 0) return moved === 0 ? -errno.EPIPE : moved;
      pipe.length -= moved;
    }
    this.dropWaiting();
    return 0;
  }

  dropWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return;
    if ('pipe' in waiting) this.#shared.pipes.release(waiting.pipe);
    else this.#shared.slots.release(waiting.slot);
  }

  /** Marks the socket as broken, and drops the waiting bytes. */
  markBroken(): void {
    this.set(state.broken);
    this.dropWaiting();
  }

  finishSending(): void {
    if (this.is(state.shut) || this.isBroken || this.isClosing) return;
    this.set(state.shut);
    this.#shared.libc.shutdown(this.fd, shutdownWrite);
  }
}
