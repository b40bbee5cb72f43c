/** Relays between two connections with back-pressure in both directions. Each direction ends separately. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Side } from '../../inspectors/inspector.ts';
import { epoll } from '../../process/libc/abi.ts';
import { errno } from '../../process/libc/libc.ts';
import type { Ending, Relay, RelayEnd, RelayHooks } from '../plane.ts';
import type { LinuxConnection, Reader } from './connection.ts';
import type { Shared } from './shared.ts';

/** Reads of one direction before others continue. */
const readsPerTurn = 16;
/** Bytes of the first read, and of those after one that was not full or not written at once: they wait for a reader that stalls. */
const firstReadBytes = 16_384;
/** Full reads after which bytes are spliced, and the smallest amounts for which that is worth its system calls. */
const fullReads = 3;
const spliceBytes = 65_536;
const smallSpliceBytes = 16_384;

class Direction {
  readonly side: Side;
  readonly from: LinuxConnection;
  readonly to: LinuxConnection;
  bytes = 0;
  /** How many of the next bytes pass without inspection. */
  unseen: number;
  /** Full reads in a row. */
  full = 0;

  constructor(side: Side, from: LinuxConnection, to: LinuxConnection, unseen: number) {
    this.side = side;
    this.from = from;
    this.to = to;
    this.unseen = unseen;
  }
}

export class LinuxRelay implements Relay, Reader {
  readonly #shared: Shared;
  readonly #hooks: RelayHooks;
  readonly #in: Direction;
  readonly #out: Direction;
  #activeAt: number;
  /** Set by the side that ends first. */
  #end: RelayEnd | undefined;
  #open = 2;
  /** Closes a side that still sends after the other has closed. */
  #linger: NodeJS.Timeout | undefined;

  constructor(client: LinuxConnection, upstream: LinuxConnection, hooks: RelayHooks) {
    const unseen = hooks.inspect ? 0 : Number.POSITIVE_INFINITY;
    this.#shared = client.shared;
    this.#hooks = hooks;
    this.#in = new Direction('client', client, upstream, unseen);
    this.#out = new Direction('server', upstream, client, unseen);
    this.#activeAt = performance.now();
  }

  /** Writes the peeked bytes, and forwards an end that arrived with them. */
  start(): this {
    const directions = [this.#in, this.#out];
    for (const { from } of directions) {
      if (from.isClosed) process.nextTick(() => this.onClosed(from));
      else from.attach(this);
    }
    for (const direction of directions) {
      const { from, to } = direction;
      const pending = from.takePending();
      direction.bytes += pending.length;
      const failed = to.isClosing ? 0 : to.sendBytes(pending);
      if (failed < 0) this.#onBroken(direction, failed);
      else if (from.hasEnded) this.#onEnded(direction);
      if (from.isReadable) this.#shared.loop.queue(from);
    }
    return this;
  }

  bytesIn(): number {
    return this.#in.bytes;
  }

  bytesOut(): number {
    return this.#out.bytes;
  }

  activeAt(): number {
    return this.#activeAt;
  }

  stop(how: Ending): void {
    this.#stop('stopped', how);
  }

  #stop(end: RelayEnd, how: Ending): void {
    this.#end ??= end;
    const { from: client, to: upstream } = this.#in;
    client.end(client.isBlocked ? 'reset' : how);
    upstream.end('reset');
  }

  #from(connection: LinuxConnection): Direction {
    return connection === this.#in.from ? this.#in : this.#out;
  }

  #to(connection: LinuxConnection): Direction {
    return connection === this.#in.to ? this.#in : this.#out;
  }

  onEvents(connection: LinuxConnection, events: number): void {
    if (events & epoll.out && connection.isBlocked) this.#flush(this.#to(connection));
    if (connection.isReadable) this.#pump(this.#from(connection));
    // A reset after the end of its direction is noticed by no read.
    if (events & epoll.error && connection.hasEnded && !connection.isClosing)
      this.#onBroken(this.#to(connection), -errno.EPIPE);
  }

  proceed(connection: LinuxConnection): void {
    this.#pump(this.#from(connection));
  }

  onClosed(connection: LinuxConnection): void {
    this.#open -= 1;
    const { from, to } = this.#from(connection);
    if (!from.hasEnded && !to.isClosing) this.#lose(from, to);
    if (this.#open > 0) return;
    clearTimeout(this.#linger);
    this.#hooks.ended(this.#end ?? 'closed');
  }

  /** Moves bytes until there are none, the other side does not take them, or others have to continue. */
  #pump(direction: Direction): void {
    const { from, to } = direction;
    for (let budget = readsPerTurn; from.isReadable && !from.isClosing && !to.isBlocked; budget -= 1) {
      if (budget === 0) return void this.#shared.loop.queue(from);
      const count = this.#move(direction);
      if (count === 0) return void this.#onEnded(direction);
      if (count < 0 && count !== -errno.EAGAIN) return void this.#lose(from, to);
    }
  }

  /** Returns the result of reading. */
  #move(direction: Direction): number {
    const { full, unseen, to } = direction;
    const isBulk = full >= fullReads && unseen >= spliceBytes && !to.isBroken && !to.isClosing;
    return isBulk ? this.#splice(direction) : this.#copy(direction);
  }

  #copy(direction: Direction): number {
    const { from, to } = direction;
    const { chunk } = this.#shared;
    const most = direction.full === 0 ? firstReadBytes : chunk.size;
    const count = from.receive(most);
    if (count <= 0) return count;
    direction.full = count === most ? direction.full + 1 : 0;
    this.#activeAt = this.#shared.loop.now;
    if (to.isBroken || to.isClosing || !this.#passes(direction, count)) return count;
    direction.bytes += count;
    const failed = to.send(chunk, 0, count);
    if (to.isBlocked) direction.full = 0;
    if (failed < 0) this.#onBroken(direction, failed);
    return count;
  }

  #splice(direction: Direction): number {
    const { from, to } = direction;
    const { pipes, libc, loop } = this.#shared;
    const pipe = pipes.take();
    if (!pipe) {
      direction.full = 0;
      return this.#copy(direction);
    }
    const count = libc.splice(from.fd, pipe.input.fd, Math.min(pipe.size, direction.unseen));
    if (count <= 0) {
      pipes.give(pipe);
      return this.#unspliced(direction, count);
    }
    pipe.length = count;
    direction.full = count < smallSpliceBytes ? 0 : direction.full;
    direction.unseen -= count;
    direction.bytes += count;
    this.#activeAt = loop.now;
    const failed = to.sendPipe(pipe);
    if (failed < 0) this.#onBroken(direction, failed);
    return count;
  }

  /** Returns the result of a splice that moved no bytes as that of a read. */
  #unspliced(direction: Direction, count: number): number {
    if (count === -errno.EAGAIN) direction.from.isReadable = false;
    if (count === -errno.EINVAL) direction.full = Number.NEGATIVE_INFINITY; // not possible with this socket
    return count === -errno.EINVAL || count === -errno.EINTR ? -errno.EAGAIN : count;
  }

  /** Whether the bytes of the chunk may pass. On `stop`, ends the relay unless the inspection has ended it. */
  #passes(direction: Direction, count: number): boolean {
    const { unseen, side } = direction;
    if (unseen >= count) {
      direction.unseen = unseen - count;
      return true;
    }
    const verdict = this.#hooks.inspect?.(side, this.#shared.chunk.bytes.subarray(unseen, count));
    if (verdict === 'stop') this.#stop('stopped', 'close');
    else direction.unseen = verdict ?? Number.POSITIVE_INFINITY;
    return verdict !== 'stop';
  }

  /** The socket takes bytes again. */
  #flush(direction: Direction): void {
    const { from, to } = direction;
    const failed = to.flush();
    this.#activeAt = this.#shared.loop.now;
    if (failed < 0) this.#onBroken(direction, failed);
    else if (to.isBlocked) return;
    else if (from.hasEnded) this.#forwardEnd(direction);
    else this.#pump(direction);
  }

  /** All bytes of a direction are read. */
  #onEnded(direction: Direction): void {
    const { from, to } = direction;
    from.hasEnded = true;
    if (from.isBroken) from.end('close');
    if (to.isClosing && !from.isBlocked) from.end('close');
    else if (!to.isBroken) this.#forwardEnd(direction);
  }

  /** Ends a direction after all bytes are written, and closes both sides when both directions have ended. */
  #forwardEnd({ from, to }: Direction): void {
    if (!to.isBlocked && to.hasEnded && (from.isClosing || !from.isBlocked)) {
      from.end('close');
      to.end('close');
      return;
    }
    if (!to.isBlocked) to.shut();
    if (from.isClosing) this.#lingerOn(to);
  }

  /** Writing failed. A side that has ended its direction, such as a server that responded and closed, is complete. */
  #onBroken(direction: Direction, failed: number): void {
    const { from, to } = direction;
    to.breakOff();
    const back = direction === this.#in ? this.#out : this.#in;
    if (failed === -errno.EPIPE && !to.hasEnded) {
      to.isReadable = true; // EPIPE: its end has arrived, possibly after bytes that are not read yet
      this.#pump(back);
    }
    if (to.hasEnded) {
      to.end('reset');
      this.#forwardEnd(back);
    } else if (!from.isBlocked) this.#lose(to, from);
  }

  /** Discards what a side still sends. Closing it would discard what it has not read yet. */
  #lingerOn(side: LinuxConnection): void {
    this.#linger ??= setTimeout(() => side.end(side.isBlocked ? 'reset' : 'close'), daemonBounds.lingerMs);
  }

  /** A side is gone before the end of its direction. */
  #lose(gone: LinuxConnection, other: LinuxConnection): void {
    this.#end ??= gone === this.#in.from ? 'client_lost' : 'upstream_lost';
    gone.end('reset');
    other.end('reset');
  }
}
