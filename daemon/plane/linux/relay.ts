/** Relays between two connections with back-pressure in both directions. Each direction ends separately. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Side } from '../../inspectors/inspector.ts';
import { epoll } from '../../process/libc/abi.ts';
import { errno } from '../../process/libc/libc.ts';
import type { ChunkVerdict, Ending, Relay, RelayEnd, RelayHooks } from '../plane.ts';
import type { LinuxConnection } from './connection.ts';
import { state } from './loop.ts';
import type { Reader } from './reader.ts';
import type { Shared } from './shared.ts';

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
const allBytes = -1;

export class LinuxRelay implements Relay, Reader<LinuxConnection> {
  readonly #shared: Shared;
  readonly #hooks: RelayHooks;
  readonly #client: LinuxConnection;
  readonly #upstream: LinuxConnection;
  #activeAt: number;
  #endReason: RelayEnd | undefined;
  #openSides = 2;
  #waitingBytes = 0;
  /** Whether the held bytes of the client can be inspected again. */
  #isResumed = false;
  /** The timer that closes a side which still sends after the other side has closed. */
  #linger: NodeJS.Timeout | undefined;

  constructor(client: LinuxConnection, upstream: LinuxConnection, hooks: RelayHooks) {
    this.#shared = client.shared;
    this.#hooks = hooks;
    this.#client = client;
    this.#upstream = upstream;
    this.#activeAt = Math.floor(performance.now());
    client.uninspectedBytes = upstream.uninspectedBytes = hooks.inspect ? 0 : allBytes;
  }

  start(): this {
    const isNew = !this.#client.is(state.watched); // a new connection is acknowledged at its first event
    for (const side of [this.#client, this.#upstream]) {
      if (side.isClosed) process.nextTick(() => this.onClosed(side));
      else side.attach(this);
    }
    this.#handOver(this.#client, this.#upstream, this.#hooks.passedBytes);
    this.#handOver(this.#upstream, this.#client);
    if (!isNew) this.#acknowledge(this.#client, 0);
    return this;
  }

  /**
   * Acknowledges the upstream's bytes without a delay if the client has sent none, because in some protocols the server
   * sends first. Ends the delay after the first bytes: an upstream without TCP_NODELAY waits for their acknowledgment.
   */
  #acknowledge(side: LinuxConnection, events: number): void {
    const upstream = this.#upstream;
    if (!upstream.is(state.quiet)) return;
    const hasSent = side === upstream && (events & ~epoll.out) !== 0;
    if (hasSent) upstream.clear(state.quiet);
    if (hasSent || (side !== upstream && !upstream.is(state.written))) upstream.acknowledge();
  }

  #handOver(from: LinuxConnection, to: LinuxConnection, passedBytes?: number): void {
    const peeked = from.drainPeeked();
    const pending = peeked.subarray(0, passedBytes);
    if (pending.length < peeked.length) from.hold(peeked.subarray(pending.length));
    from.relayedBytes += pending.length;
    const failed = to.isClosing ? 0 : to.sendBytes(pending);
    this.#countWaiting();
    if (failed < 0) this.#onBroken(from, to, failed);
    else if (from.hasEnded && !from.is(state.held)) this.#onEnded(from, to);
    if (from.isReadable) this.#shared.loop.queue(from);
  }

  resume(): void {
    if (!this.#client.is(state.held)) return;
    this.#isResumed = true;
    this.#shared.loop.queue(this.#client);
  }

  /** Inspects the held bytes again. Reads on unless some are still held. */
  #releaseHeld(from: LinuxConnection, to: LinuxConnection): void {
    this.#isResumed = false;
    from.clear(state.held);
    const held = from.drainPeeked();
    this.#activeAt = this.#shared.loop.now;
    const relayed = this.#inspect(from, held) ?? held;
    if (from.isClosing || to.isClosing) return;
    from.relayedBytes += relayed.length;
    const failed = to.sendBytes(relayed);
    this.#countWaiting();
    if (failed < 0) this.#onBroken(from, to, failed);
    else if (from.is(state.held) && to.hasEnded) this.#dropHeld(from, to);
    else if (from.hasEnded && !from.is(state.held)) this.#onEnded(from, to);
  }

  /** Call it after bytes were written or flushed, unless all of them were written at once. */
  #countWaiting(): void {
    const bytes = this.#client.waitingBytes + this.#upstream.waitingBytes;
    if (bytes === this.#waitingBytes) return;
    this.#waitingBytes = bytes;
    this.#hooks.stalled?.(bytes);
  }

  bytesIn(): number {
    return this.#client.relayedBytes;
  }

  bytesOut(): number {
    return this.#upstream.relayedBytes;
  }

  activeAt(): number {
    return this.#activeAt;
  }

  stop(how: Ending): void {
    this.#endReason ??= 'stopped';
    this.#client.end(this.#client.isBlocked ? 'reset' : how);
    this.#upstream.end('reset');
  }

  #otherSide(side: LinuxConnection): LinuxConnection {
    return side === this.#client ? this.#upstream : this.#client;
  }

  onEvents(side: LinuxConnection, events: number): void {
    const other = this.#otherSide(side);
    const hasFailed = (events & epoll.error) !== 0;
    // The system reports an error once. If a write got it now, reads would see a regular end after the last bytes.
    const mayFlush = !hasFailed || side.hasEnded;
    if (events & epoll.out && side.isBlocked && mayFlush) this.#flush(other, side);
    if (side.isReadable) this.#pump(side, other);
    this.#acknowledge(side, events);
    if (!hasFailed || side.isClosing) return;
    // A side that has finished sending is not read, so no read can report a later reset.
    if (side.is(state.held)) this.#lose(side, other);
    else if (side.hasEnded) this.#onBroken(other, side, -errno.EPIPE);
    else {
      side.set(state.errorReported);
      // While the other side is blocked, this side is not read. So only a write to this side can detect the failure.
      if (side.isBlocked && other.isBlocked) this.#flush(other, side);
    }
  }

  proceed(side: LinuxConnection): void {
    this.#pump(side, this.#otherSide(side));
  }

  onClosed(side: LinuxConnection): void {
    this.#openSides -= 1;
    const other = this.#otherSide(side);
    if (!side.hasEnded && !other.isClosing) this.#lose(side, other);
    if (this.#openSides > 0) return;
    clearTimeout(this.#linger);
    this.#hooks.ended(this.#endReason ?? 'closed');
  }

  #pump(from: LinuxConnection, to: LinuxConnection): void {
    if (from.is(state.held) && this.#isResumed && !to.isBlocked) this.#releaseHeld(from, to);
    if (from.is(state.held)) return;
    const { loop } = this.#shared;
    for (let budget = readsPerTurn; this.#canMove(from, to); budget -= 1) {
      const isOver = budget === 0 || (budget < readsPerTurn && from.fullReads > 0 && loop.isTurnOver());
      if (isOver) return void loop.queue(from);
      const count = this.#move(from, to);
      if (count === 0) return void this.#onEnded(from, to);
      if (count < 0 && count !== -errno.EAGAIN) return void this.#lose(from, to);
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
    const { chunk, loop } = this.#shared;
    const most = from.fullReads === 0 ? firstReadBytes : chunk.size;
    const count = from.receive(most);
    if (count <= 0) return count;
    from.fullReads = count === most ? from.fullReads + 1 : 0;
    if (to.isBroken || to.isClosing) return count;
    this.#activeAt = loop.now;
    const failed = this.#forward(from, to, count);
    if (to.isBlocked) {
      from.fullReads = 0;
      this.#countWaiting();
    }
    if (failed < 0) this.#onBroken(from, to, failed);
    else if (from.is(state.held) && to.hasEnded) this.#dropHeld(from, to);
    return count;
  }

  #splice(from: LinuxConnection, to: LinuxConnection): number {
    const { pipes, libc, loop } = this.#shared;
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
    this.#activeAt = loop.now;
    const failed = to.sendPipe(pipe);
    if (failed < 0) this.#onBroken(from, to, failed);
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

  /** Inspects and writes the bytes of the chunk. Returns a negative error number when the write failed. */
  #forward(from: LinuxConnection, to: LinuxConnection, count: number): number {
    const { chunk } = this.#shared;
    const isSeen = from.uninspectedBytes !== allBytes;
    const instead = isSeen ? this.#inspect(from, chunk.bytes.subarray(0, count)) : undefined;
    if (to.isClosing) return 0; // the inspection has stopped the relay
    from.relayedBytes += instead?.length ?? count;
    return instead ? to.sendBytes(instead) : to.send(chunk, 0, count);
  }

  /**
   * Inspects bytes. Returns the bytes to relay instead, or undefined. On `stop`, ends the relay unless the inspection
   * has already ended it.
   */
  #inspect(from: LinuxConnection, bytes: Uint8Array): Uint8Array | undefined {
    const { uninspectedBytes: unseen } = from;
    if (unseen >= bytes.length) {
      from.uninspectedBytes = unseen - bytes.length;
      return undefined;
    }
    const side: Side = from === this.#client ? 'client' : 'server';
    const verdict = this.#hooks.inspect?.(side, bytes.subarray(unseen));
    if (verdict === 'stop') this.stop('close');
    else if (typeof verdict === 'object') return LinuxRelay.#changed(from, bytes, verdict);
    else from.uninspectedBytes = verdict === undefined || verdict === Number.POSITIVE_INFINITY ? allBytes : verdict;
    return undefined;
  }

  /** Returns the bytes to relay, and holds those that wait. */
  static #changed(from: LinuxConnection, bytes: Uint8Array, verdict: Exclude<ChunkVerdict, 'stop' | number>) {
    const { uninspectedBytes: unseen } = from;
    from.uninspectedBytes = 0;
    if ('held' in verdict) {
      from.hold(verdict.held);
      return bytes.subarray(0, unseen + verdict.passedBytes);
    }
    return unseen === 0 ? verdict.instead : Buffer.concat([bytes.subarray(0, unseen), verdict.instead]);
  }

  #flush(from: LinuxConnection, to: LinuxConnection): void {
    const failed = to.flush();
    this.#countWaiting();
    this.#activeAt = this.#shared.loop.now;
    if (failed < 0) this.#onBroken(from, to, failed);
    else if (to.isBlocked) return;
    else if (from.hasEnded && !from.is(state.held)) this.#forwardEnd(from, to);
    else this.#pump(from, to);
  }

  #onEnded(from: LinuxConnection, to: LinuxConnection): void {
    if (from.is(state.writeFailed)) return void this.#lose(from, to);
    from.set(state.endRead);
    if (to.is(state.held)) return void this.#dropHeld(to, from);
    if (from.is(state.errorReported) && !from.isBroken) return void this.#onBroken(to, from, -errno.EPIPE);
    if (from.isBroken) from.end('close');
    if (to.isClosing && !from.isBlocked) from.end('close');
    else if (!to.isBroken) this.#forwardEnd(from, to);
  }

  /** Drops the held bytes of the client: the upstream has finished sending, so nothing can end their wait. */
  #dropHeld(client: LinuxConnection, upstream: LinuxConnection): void {
    client.clear(state.held);
    client.drainPeeked();
    this.#onBroken(client, upstream, -errno.EPIPE);
  }

  /** Ends a direction after all bytes are written. Closes both sides when both directions have ended. */
  #forwardEnd(from: LinuxConnection, to: LinuxConnection): void {
    if (!to.isBlocked && to.hasEnded && (from.isClosing || !from.isBlocked)) {
      from.end('close');
      to.end('close');
      return;
    }
    if (!to.isBlocked) to.finishSending();
    if (from.isClosing) this.#lingerOn(to);
  }

  /**
   * Handles a failed write to `to`. If `to` has finished sending, its data is complete: for example, a server responded
   * and closed.
   */
  #onBroken(from: LinuxConnection, to: LinuxConnection, failed: number): void {
    to.markBroken();
    if (failed === -errno.EPIPE && !to.hasEnded) {
      to.set(state.readable); // EPIPE: the end of `to` has arrived, maybe after unread bytes
      this.#pump(to, from);
    }
    if (to.hasEnded) {
      to.end('reset');
      this.#forwardEnd(to, from);
    } else if (failed !== -errno.EPIPE || !(from.isBlocked || to.is(state.queued))) this.#lose(to, from);
    else if (from.isReadable) this.#shared.loop.queue(from); // discard the bytes that `from` still sends
  }

  /** Discards the bytes that a side still sends. An immediate close would discard what its peer has not read yet. */
  #lingerOn(side: LinuxConnection): void {
    if (side.isReadable) this.#shared.loop.queue(side);
    this.#linger ??= setTimeout(() => side.end(side.isBlocked ? 'reset' : 'close'), daemonBounds.lingerMs);
  }

  #lose(gone: LinuxConnection, other: LinuxConnection): void {
    this.#endReason ??= gone === this.#client ? 'client_lost' : 'upstream_lost';
    gone.end('reset');
    other.end('reset');
  }
}
