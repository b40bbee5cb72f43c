/** Relays between two connections, and inspects what it relays. */
import type { Side } from '../../inspectors/inspector.ts';
import { epoll } from '../../process/libc/abi.ts';
import { errno } from '../../process/libc/libc.ts';
import type { ChunkVerdict, Relay } from '../plane.ts';
import type { LinuxConnection } from './connection.ts';
import { state } from './loop.ts';
import type { Reader } from './reader.ts';
import { allBytes, RelayBytes } from './relay-bytes.ts';

export class LinuxRelay extends RelayBytes implements Relay, Reader<LinuxConnection> {
  start(): this {
    const isNew = !this.client.is(state.watched); // a new connection is acknowledged at its first event
    for (const side of [this.client, this.upstream]) {
      if (side.isClosed) process.nextTick(() => this.onClosed(side));
      else side.attach(this);
    }
    this.#handOver(this.client, this.upstream, this.hooks.passedBytes);
    this.#handOver(this.upstream, this.client);
    if (!isNew) this.#acknowledge(this.client, 0);
    return this;
  }

  /**
   * Acknowledges the upstream's bytes without a delay if the client has sent none, because in some protocols the server
   * sends first. Ends the delay after the first bytes: an upstream without TCP_NODELAY waits for their acknowledgment.
   */
  #acknowledge(side: LinuxConnection, events: number): void {
    const upstream = this.upstream;
    if (!upstream.is(state.quiet)) return;
    const hasSent = side === upstream && (events & ~epoll.out) !== 0;
    if (hasSent) upstream.clear(state.quiet);
    if (hasSent || (side !== upstream && !upstream.is(state.written))) upstream.acknowledge();
  }

  #handOver(from: LinuxConnection, to: LinuxConnection, passedBytes?: number): void {
    const peeked = from.drainPeeked();
    const pending = peeked.length === 0 ? peeked : peeked.subarray(0, passedBytes);
    if (pending.length < peeked.length) from.hold(peeked.subarray(pending.length));
    from.relayedBytes += pending.length;
    const failed = to.isClosing ? 0 : to.sendBytes(pending);
    this.countWaiting();
    if (failed < 0) this.onBroken(from, to, failed);
    else if (from.hasEnded && !from.is(state.held)) this.onEnded(from, to);
    if (from.isReadable) this.shared.loop.queue(from);
  }

  resume(): void {
    if (!this.client.is(state.held)) return;
    this.isResumed = true;
    this.shared.loop.queue(this.client);
  }

  /** Inspects the held bytes again. Reads on unless some are still held. */
  protected releaseHeld(from: LinuxConnection, to: LinuxConnection): void {
    this.isResumed = false;
    from.clear(state.held);
    const held = from.drainPeeked();
    this.lastActiveAt = this.shared.loop.now;
    const relayed = this.#inspect(from, held) ?? held;
    if (from.isClosing || to.isClosing) return;
    from.relayedBytes += relayed.length;
    const failed = to.sendBytes(relayed);
    this.countWaiting();
    if (failed < 0) this.onBroken(from, to, failed);
    else if (from.is(state.held) && to.hasEnded) this.dropHeld(from, to);
    else if (from.hasEnded && !from.is(state.held)) this.onEnded(from, to);
  }

  onEvents(side: LinuxConnection, events: number): void {
    const other = this.otherSide(side);
    const hasFailed = (events & epoll.error) !== 0;
    // The system reports an error once. If a write got it now, reads would see a regular end after the last bytes.
    const mayFlush = !hasFailed || side.hasEnded;
    if (events & epoll.out && side.isBlocked && mayFlush) this.flush(other, side);
    if (side.isReadable) this.pump(side, other);
    this.#acknowledge(side, events);
    if (!hasFailed || side.isClosing) return;
    // A side that has finished sending is not read, so no read can report a later reset.
    if (side.is(state.held)) this.lose(side, other);
    else if (side.hasEnded) this.onBroken(other, side, -errno.EPIPE);
    else {
      side.set(state.errorReported);
      // While the other side is blocked, this side is not read. So only a write to this side can detect the failure.
      if (side.isBlocked && other.isBlocked) this.flush(other, side);
    }
  }

  proceed(side: LinuxConnection): void {
    this.pump(side, this.otherSide(side));
  }

  /** Inspects and writes the bytes of the chunk. Returns a negative error number when the write failed. */
  protected forward(from: LinuxConnection, to: LinuxConnection, count: number): number {
    const { chunk } = this.shared;
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
    const side: Side = from === this.client ? 'client' : 'server';
    const verdict = this.hooks.inspect?.(side, bytes.subarray(unseen));
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
}
