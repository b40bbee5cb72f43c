/** Relays between two connections with back-pressure in both directions. Each direction ends separately. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Side } from '../../inspectors/inspector.ts';
import { epoll } from '../../process/libc/abi.ts';
import { errno } from '../../process/libc/libc.ts';
import type { Ending, Relay, RelayEnd, RelayHooks } from '../plane.ts';
import type { LinuxConnection, Reader } from './connection.ts';
import { state } from './loop.ts';
import type { Shared } from './shared.ts';

/** Reads of one direction before others continue. */
const readsPerTurn = 8;
/** Bytes of the first read, and of those after one that was not full or not written at once: they wait for a reader that stalls. */
const firstReadBytes = 16_384;
/** Full reads after which bytes are spliced, and the smallest amounts for which that is worth its system calls. */
const fullReads = 3;
const spliceBytes = 65_536;
const smallSpliceBytes = 16_384;
/** Of `full`: this socket cannot be spliced. */
const neverFull = -(2 ** 30);

/** Of `unseen`: a number that takes no object, unlike Infinity. */
const all = -1;

export class LinuxRelay implements Relay, Reader {
  readonly #shared: Shared;
  readonly #hooks: RelayHooks;
  readonly #client: LinuxConnection;
  readonly #upstream: LinuxConnection;
  #activeAt: number;
  /** Set by the side that ends first. */
  #end: RelayEnd | undefined;
  #open = 2;
  /** Closes a side that still sends after the other has closed. */
  #linger: NodeJS.Timeout | undefined;

  constructor(client: LinuxConnection, upstream: LinuxConnection, hooks: RelayHooks) {
    this.#shared = client.shared;
    this.#hooks = hooks;
    this.#client = client;
    this.#upstream = upstream;
    this.#activeAt = Math.floor(performance.now());
    client.unseen = upstream.unseen = hooks.inspect ? 0 : all;
  }

  start(): this {
    const isNew = !this.#client.is(state.watched); // and then its first event is next
    for (const side of [this.#client, this.#upstream]) {
      if (side.isClosed) process.nextTick(() => this.onClosed(side));
      else side.attach(this);
    }
    this.#handOver(this.#client, this.#upstream);
    this.#handOver(this.#upstream, this.#client);
    if (!isNew) this.#acknowledge(this.#client, 0);
    return this;
  }

  /**
   * Ends the delay of acknowledgments to the upstream when the client has sent nothing that the first one could go with: the
   * server of the protocol may be the one that sends first. Ends it again after the first bytes of the upstream: one without
   * TCP_NODELAY sends no more until they are acknowledged.
   */
  #acknowledge(side: LinuxConnection, events: number): void {
    const upstream = this.#upstream;
    if (!upstream.is(state.quiet)) return;
    const hasSent = side === upstream && (events & ~epoll.out) !== 0;
    if (hasSent) upstream.clear(state.quiet);
    if (hasSent || (side !== upstream && !upstream.is(state.written))) upstream.acknowledge();
  }

  /** Writes the peeked bytes, and forwards an end that arrived with them. */
  #handOver(from: LinuxConnection, to: LinuxConnection): void {
    const pending = from.takePending();
    from.passed += pending.length;
    const failed = to.isClosing ? 0 : to.sendBytes(pending);
    if (failed < 0) this.#onBroken(from, to, failed);
    else if (from.hasEnded) this.#onEnded(from, to);
    if (from.isReadable) this.#shared.loop.queue(from);
  }

  bytesIn(): number {
    return this.#client.passed;
  }

  bytesOut(): number {
    return this.#upstream.passed;
  }

  activeAt(): number {
    return this.#activeAt;
  }

  stop(how: Ending): void {
    this.#end ??= 'stopped';
    this.#client.end(this.#client.isBlocked ? 'reset' : how);
    this.#upstream.end('reset');
  }

  #other(side: LinuxConnection): LinuxConnection {
    return side === this.#client ? this.#upstream : this.#client;
  }

  onEvents(side: LinuxConnection, events: number): void {
    const other = this.#other(side);
    const hasFailed = (events & epoll.error) !== 0;
    // A write would take the error that otherwise a read reports, after the last bytes.
    const mayFlush = !hasFailed || side.hasEnded;
    if (events & epoll.out && side.isBlocked && mayFlush) this.#flush(other, side);
    if (side.isReadable) this.#pump(side, other);
    this.#acknowledge(side, events);
    if (!hasFailed || side.isClosing) return;
    // A reset after the end of its direction is noticed by no read.
    if (side.hasEnded) this.#onBroken(other, side, -errno.EPIPE);
    else {
      side.set(state.failed);
      // Nothing is read until the other side reads, and it may never do that while its own bytes wait.
      if (side.isBlocked && other.isBlocked) this.#flush(other, side);
    }
  }

  proceed(side: LinuxConnection): void {
    this.#pump(side, this.#other(side));
  }

  onClosed(side: LinuxConnection): void {
    this.#open -= 1;
    const other = this.#other(side);
    if (!side.hasEnded && !other.isClosing) this.#lose(side, other);
    if (this.#open > 0) return;
    clearTimeout(this.#linger);
    this.#hooks.ended(this.#end ?? 'closed');
  }

  /** Moves bytes until there are none, the other side does not take them, or others have to continue. */
  #pump(from: LinuxConnection, to: LinuxConnection): void {
    for (let budget = readsPerTurn; from.isReadable && !from.isClosing && !to.isBlocked; budget -= 1) {
      if (budget === 0) return void this.#shared.loop.queue(from);
      const count = this.#move(from, to);
      if (count === 0) return void this.#onEnded(from, to);
      if (count < 0 && count !== -errno.EAGAIN) return void this.#lose(from, to);
    }
  }

  /** Returns the result of reading. */
  #move(from: LinuxConnection, to: LinuxConnection): number {
    const isLong = from.unseen === all || from.unseen >= spliceBytes;
    const isBulk = from.full >= fullReads && isLong && !from.is(state.urgent) && !to.isBroken && !to.isClosing;
    return isBulk ? this.#splice(from, to) : this.#copy(from, to);
  }

  #copy(from: LinuxConnection, to: LinuxConnection): number {
    const { chunk, loop } = this.#shared;
    const most = from.full === 0 ? firstReadBytes : chunk.size;
    const count = from.receive(most);
    if (count <= 0) return count;
    from.full = count === most ? from.full + 1 : 0;
    if (to.isBroken || to.isClosing) return count;
    this.#activeAt = loop.now;
    const failed = this.#forward(from, to, count);
    if (to.isBlocked) from.full = 0;
    if (failed < 0) this.#onBroken(from, to, failed);
    return count;
  }

  #splice(from: LinuxConnection, to: LinuxConnection): number {
    const { pipes, libc, loop } = this.#shared;
    const pipe = pipes.take();
    if (!pipe) {
      from.full = 0;
      return this.#copy(from, to);
    }
    const most = from.unseen === all ? pipe.size : Math.min(pipe.size, from.unseen);
    const count = libc.splice(from.fd, pipe.input.fd, most);
    if (count <= 0) {
      pipes.give(pipe);
      return this.#unspliced(from, to, count);
    }
    pipe.length = count;
    from.full = count < smallSpliceBytes ? 0 : from.full;
    if (from.unseen !== all) from.unseen -= count;
    from.passed += count;
    this.#activeAt = loop.now;
    const failed = to.sendPipe(pipe);
    if (failed < 0) this.#onBroken(from, to, failed);
    return count;
  }

  /** Returns the result of a splice that moved no bytes as that of a read. It reports an end before a byte out of band, too. */
  #unspliced(from: LinuxConnection, to: LinuxConnection, count: number): number {
    if (count === 0) {
      from.full = 0;
      return this.#copy(from, to);
    }
    if (count === -errno.EAGAIN) from.clear(state.readable);
    if (count === -errno.EINVAL) from.full = neverFull; // not possible with this socket
    return count === -errno.EINVAL || count === -errno.EINTR ? -errno.EAGAIN : count;
  }

  /** Writes the bytes of the chunk that may pass. Returns a negative error number when it failed. */
  #forward(from: LinuxConnection, to: LinuxConnection, count: number): number {
    const { unseen } = from;
    const { chunk } = this.#shared;
    const instead = this.#inspect(from, count);
    if (to.isClosing) return 0; // stopped
    if (!instead) {
      from.passed += count;
      return to.send(chunk, 0, count);
    }
    const bytes = unseen === 0 ? instead : Buffer.concat([chunk.bytes.subarray(0, unseen), instead]);
    from.passed += bytes.length;
    return to.sendBytes(bytes);
  }

  /** Returns what passes in place of the inspected bytes. Undefined: they pass. On `stop`, ends the relay unless the inspection has ended it. */
  #inspect(from: LinuxConnection, count: number): Uint8Array | undefined {
    const { unseen } = from;
    if (unseen === all) return undefined;
    if (unseen >= count) {
      from.unseen = unseen - count;
      return undefined;
    }
    const side: Side = from === this.#client ? 'client' : 'server';
    const verdict = this.#hooks.inspect?.(side, this.#shared.chunk.bytes.subarray(unseen, count));
    if (verdict === 'stop') this.stop('close');
    else if (typeof verdict === 'object') {
      from.unseen = 0;
      return verdict.instead;
    } else from.unseen = verdict === undefined || verdict === Number.POSITIVE_INFINITY ? all : verdict;
    return undefined;
  }

  /** The socket of `to` takes bytes again. */
  #flush(from: LinuxConnection, to: LinuxConnection): void {
    const failed = to.flush();
    this.#activeAt = this.#shared.loop.now;
    if (failed < 0) this.#onBroken(from, to, failed);
    else if (to.isBlocked) return;
    else if (from.hasEnded) this.#forwardEnd(from, to);
    else this.#pump(from, to);
  }

  /** All bytes of a direction are read. */
  #onEnded(from: LinuxConnection, to: LinuxConnection): void {
    if (from.is(state.lost)) return void this.#lose(from, to);
    from.set(state.ended);
    if (from.is(state.failed) && !from.isBroken) return void this.#onBroken(to, from, -errno.EPIPE);
    if (from.isBroken) from.end('close');
    if (to.isClosing && !from.isBlocked) from.end('close');
    else if (!to.isBroken) this.#forwardEnd(from, to);
  }

  /** Ends a direction after all bytes are written, and closes both sides when both directions have ended. */
  #forwardEnd(from: LinuxConnection, to: LinuxConnection): void {
    if (!to.isBlocked && to.hasEnded && (from.isClosing || !from.isBlocked)) {
      from.end('close');
      to.end('close');
      return;
    }
    if (!to.isBlocked) to.shut();
    if (from.isClosing) this.#lingerOn(to);
  }

  /** Writing failed. A side that has ended its direction, such as a server that responded and closed, is complete. */
  #onBroken(from: LinuxConnection, to: LinuxConnection, failed: number): void {
    to.breakOff();
    if (failed === -errno.EPIPE && !to.hasEnded) {
      to.set(state.readable); // EPIPE: its end has arrived, possibly after bytes that are not read yet
      this.#pump(to, from);
    }
    if (to.hasEnded) {
      to.end('reset');
      this.#forwardEnd(to, from);
    } else if (failed !== -errno.EPIPE || !(from.isBlocked || to.is(state.queued))) this.#lose(to, from);
    else if (from.isReadable) this.#shared.loop.queue(from); // what it sends is discarded
  }

  /** Discards what a side still sends. Closing it would discard what it has not read yet. */
  #lingerOn(side: LinuxConnection): void {
    if (side.isReadable) this.#shared.loop.queue(side);
    this.#linger ??= setTimeout(() => side.end(side.isBlocked ? 'reset' : 'close'), daemonBounds.lingerMs);
  }

  /** A side is gone before the end of its direction. */
  #lose(gone: LinuxConnection, other: LinuxConnection): void {
    this.#end ??= gone === this.#client ? 'client_lost' : 'upstream_lost';
    gone.end('reset');
    other.end('reset');
  }
}
