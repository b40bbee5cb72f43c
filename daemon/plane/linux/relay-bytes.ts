/** Moves the bytes of a relay with back-pressure: by reads and writes, or within the kernel. */
import { errno } from '../../process/libc/libc.ts';
import { monotonicMs } from '../../time/clock.ts';
import type { RelayHooks } from '../plane.ts';
import type { LinuxConnection } from './connection.ts';
import { state } from './loop.ts';
import { RelayEnds } from './relay-ends.ts';

const readsPerTurn = 8;
/**
 * The size of the first read, and of each read after a short read or a blocked write. A small size keeps few bytes in
 * memory for a receiver that stalls.
 */
const firstReadBytes = 16_384;
/** Splicing starts after this many full reads. Smaller amounts of bytes are not worth the extra system calls. */
const spliceAfterReads = 3;
const spliceBytes = 65_536;
const smallSpliceBytes = 16_384;
const neverFull = -(2 ** 30);

/** The value of `uninspectedBytes` for all bytes. V8 stores -1 in a field without an object, but not Infinity. */
export const allBytes = -1;

export abstract class RelayBytes extends RelayEnds {
  protected lastActiveAt = Math.floor(monotonicMs());
  #waitingBytes = 0;
  /** Whether the held bytes of the client can be inspected again. */
  protected isResumed = false;

  constructor(client: LinuxConnection, upstream: LinuxConnection, hooks: RelayHooks) {
    super(client, upstream, hooks);
    client.uninspectedBytes = upstream.uninspectedBytes = hooks.inspect ? 0 : allBytes;
  }

  /** Inspects and writes the bytes of the chunk. Returns a negative error number when the write failed. */
  protected abstract forward(from: LinuxConnection, to: LinuxConnection, count: number): number;

  /** Inspects the held bytes again. Reads on unless some are still held. */
  protected abstract releaseHeld(from: LinuxConnection, to: LinuxConnection): void;

  /** Call it after bytes were written or flushed, unless all of them were written at once. */
  protected countWaiting(): void {
    const bytes = this.client.waitingBytes + this.upstream.waitingBytes;
    if (bytes === this.#waitingBytes) return;
    this.#waitingBytes = bytes;
    this.hooks.stalled?.(bytes);
  }

  bytesIn(): number {
    return this.client.relayedBytes;
  }

  bytesOut(): number {
    return this.upstream.relayedBytes;
  }

  activeAt(): number {
    return this.lastActiveAt;
  }

  protected pump(from: LinuxConnection, to: LinuxConnection): void {
    if (from.is(state.held) && this.isResumed && !to.isBlocked) this.releaseHeld(from, to);
    if (from.is(state.held)) return;
    const { loop } = this.shared;
    for (let budget = readsPerTurn; this.#canMove(from, to); budget -= 1) {
      const isOver = budget === 0 || (budget < readsPerTurn && from.fullReads > 0 && loop.isTurnOver());
      if (isOver) return void loop.queue(from);
      const count = this.#move(from, to);
      if (count === 0) return void this.onEnded(from, to);
      if (count < 0 && count !== -errno.EAGAIN) return void this.lose(from, to);
    }
  }

  #canMove(from: LinuxConnection, to: LinuxConnection): boolean {
    return from.isReadable && !from.isClosing && !to.isBlocked && !from.is(state.held);
  }

  /** Moves bytes once. Returns the result of the read. */
  #move(from: LinuxConnection, to: LinuxConnection): number {
    const isLong = from.uninspectedBytes === allBytes || from.uninspectedBytes >= spliceBytes;
    const isBulk =
      from.fullReads >= spliceAfterReads && isLong && !from.is(state.urgent) && !to.isBroken && !to.isClosing;
    return isBulk ? this.#splice(from, to) : this.#copy(from, to);
  }

  #copy(from: LinuxConnection, to: LinuxConnection): number {
    const { chunk, loop } = this.shared;
    const most = from.fullReads === 0 ? firstReadBytes : chunk.size;
    const count = from.receive(most);
    if (count <= 0) return count;
    from.fullReads = count === most ? from.fullReads + 1 : 0;
    if (to.isBroken || to.isClosing) return count;
    this.lastActiveAt = loop.now;
    const failed = this.forward(from, to, count);
    if (to.isBlocked) {
      from.fullReads = 0;
      this.countWaiting();
    }
    if (failed < 0) this.onBroken(from, to, failed);
    else if (from.is(state.held) && to.hasEnded) this.dropHeld(from, to);
    return count;
  }

  #splice(from: LinuxConnection, to: LinuxConnection): number {
    const { pipes, libc, loop } = this.shared;
    const pipe = pipes.acquire();
    if (!pipe) {
      from.fullReads = 0;
      return this.#copy(from, to);
    }
    const most = from.uninspectedBytes === allBytes ? pipe.size : Math.min(pipe.size, from.uninspectedBytes);
    const count = libc.splice(from.fd, pipe.input.fd, most);
    if (count <= 0) {
      pipes.release(pipe);
      return this.#unspliced(from, to, count);
    }
    pipe.length = count;
    from.fullReads = count < smallSpliceBytes ? 0 : from.fullReads;
    if (from.uninspectedBytes !== allBytes) from.uninspectedBytes -= count;
    from.relayedBytes += count;
    this.lastActiveAt = loop.now;
    const failed = to.sendPipe(pipe);
    if (failed < 0) this.onBroken(from, to, failed);
    return count;
  }

  /**
   * Converts the result of a splice that moved no bytes to that of a read. A splice also reports 0 before an
   * out-of-band byte, so 0 is read again.
   */
  #unspliced(from: LinuxConnection, to: LinuxConnection, count: number): number {
    if (count === 0) {
      from.fullReads = 0;
      return this.#copy(from, to);
    }
    if (count === -errno.EAGAIN) from.clear(state.readable);
    if (count === -errno.EINVAL) from.fullReads = neverFull; // this socket cannot be spliced
    return count === -errno.EINVAL || count === -errno.EINTR ? -errno.EAGAIN : count;
  }

  protected flush(from: LinuxConnection, to: LinuxConnection): void {
    const failed = to.flush();
    this.countWaiting();
    this.lastActiveAt = this.shared.loop.now;
    if (failed < 0) this.onBroken(from, to, failed);
    else if (to.isBlocked) return;
    else if (from.hasEnded && !from.is(state.held)) this.forwardEnd(from, to);
    else this.pump(from, to);
  }
}
