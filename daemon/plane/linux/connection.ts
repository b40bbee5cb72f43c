/** A connection over a socket of libc. */
import { epoll, option, shutdownWrite } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import { errno } from '../../process/libc/libc.ts';
import type { Connection, Ending, Peeked, PeekOptions, Peer } from '../plane.ts';
import { Watched } from './loop.ts';
import { Peek } from './peek.ts';
import type { Pipe } from './pools.ts';
import type { Shared } from './shared.ts';
import { decodeAddress } from './socket-address.ts';

/** Gets the events of a connection. */
export interface Reader {
  readonly onEvents: (connection: LinuxConnection, events: number) => void;
  /** Continues in the next turn, after `Loop.queue`. */
  readonly proceed: (connection: LinuxConnection) => void;
  readonly onClosed: (connection: LinuxConnection) => void;
}

/** Events after which reading does not fail with EAGAIN any more. */
const finalEvents = epoll.peerEnded | epoll.hangUp | epoll.error;
const allEvents = epoll.in | epoll.out | epoll.peerEnded;

const empty = new Uint8Array(0);

/** Discards all input until it ends. */
const discarding: Reader = {
  onEvents: (connection, events) => {
    connection.flushAfter(events);
    discarding.proceed(connection);
  },
  proceed: (connection) => {
    for (let budget = 16; connection.isReadable; budget -= 1) {
      if (budget === 0) return void connection.shared.loop.queue(connection);
      const count = connection.receive();
      if (count === 0 || (count < 0 && connection.isReadable)) return void connection.end('close');
    }
  },
  onClosed: () => {},
};

export class LinuxConnection extends Watched implements Connection {
  readonly #shared: Shared;
  #reader: Reader | undefined;
  #isWatched = false;
  /** It may have bytes to read. */
  isReadable = false;
  /** The system reported its end or an error, so it is read until that. */
  #isFinal = false;
  /** The other end sends no more, and all of its bytes are read. */
  hasEnded = false;
  /** Its direction was ended by `shut`. */
  #isShut = false;
  /** Writing failed. */
  isBroken = false;
  /** Peeked bytes. */
  #pending: Uint8Array = empty;
  /** Written bytes that the socket has not taken: `#slot` from `#from` to `#to`, or those in `pipe`. Never both. */
  #slot: Block | undefined;
  #from = 0;
  #to = 0;
  #pipe: Pipe | undefined;
  #remote: Peer | undefined;
  #gone: (() => void)[] | undefined;

  constructor(shared: Shared, fd: number, remote?: Peer) {
    super(fd);
    this.#shared = shared;
    this.#remote = remote;
    shared.open += 1;
    shared.loop.hold();
  }

  get shared(): Shared {
    return this.#shared;
  }

  get remote(): Peer {
    this.#remote ??= this.#query('remoteAddress');
    return this.#remote;
  }

  get local(): Peer {
    return this.#query('localAddress');
  }

  #query(name: 'remoteAddress' | 'localAddress'): Peer {
    const { libc, address } = this.#shared;
    return libc[name](this.fd, address) < 0 ? { ip: '', port: 0 } : decodeAddress(address);
  }

  /** Events go to `reader` from now on. */
  attach(reader: Reader): void {
    this.#reader = reader;
    if (this.#isWatched || this.isClosing) return;
    this.#isWatched = true;
    if (this.#shared.loop.add(this, allEvents) === 0) return;
    this.#shared.exhaust();
    this.end('reset');
  }

  /** Ends what `attach` has begun. */
  detach(reader: Reader): void {
    if (this.#reader === reader) this.#reader = undefined;
  }

  onEvents(events: number): void {
    if (events & ~epoll.out) {
      this.isReadable = true;
      if (events & finalEvents) this.#isFinal = true;
    }
    this.#reader?.onEvents(this, events);
  }

  proceed(): void {
    this.#reader?.proceed(this);
  }

  onClosed(): void {
    this.#shared.open -= 1;
    this.#drop();
    this.#pending = empty;
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.onClosed(this);
    const gone = this.#gone;
    this.#gone = undefined;
    if (gone) for (const listener of gone) listener();
  }

  /** Reads into the chunk. Returns the number of bytes, 0 at the end, or a negative error number. EAGAIN: `isReadable` is false. */
  receive(most = this.#shared.chunk.size): number {
    const count = this.#shared.libc.read(this.fd, this.#shared.chunk, most);
    if (count === -errno.EAGAIN) this.isReadable = false;
    else if (count === -errno.EINTR) return this.receive(most);
    else if (count > 0 && count < most && !this.#isFinal) this.isReadable = false; // what arrives now is a new event
    return count;
  }

  /** Whether written bytes wait for the socket. */
  get isBlocked(): boolean {
    return this.#slot !== undefined || this.#pipe !== undefined;
  }

  /** Writes bytes of a block, and keeps those that the socket does not take. Returns a negative error number when it failed. */
  send(block: Block, offset: number, length: number): number {
    const written = this.#slot ? 0 : this.#write(block, offset, length);
    if (written < 0) return written;
    if (written < length) this.#hold(block, offset + written, length - written);
    return 0;
  }

  /** Returns 0 when the socket does not take bytes now. */
  #write(block: Block, offset: number, length: number): number {
    const written = this.#shared.libc.write(this.fd, block, offset, length);
    if (written === -errno.EAGAIN) return 0;
    return written === -errno.EINTR ? this.#write(block, offset, length) : written;
  }

  /** Adds bytes to those in the slot. */
  #hold(block: Block, offset: number, length: number): void {
    const { slots } = this.#shared;
    const old = this.#slot;
    const waiting = old ? this.#to - this.#from : 0;
    const slot = slots.take(waiting + length);
    if (old) {
      slot.bytes.set(old.bytes.subarray(this.#from, this.#to));
      slots.give(old);
    }
    slot.bytes.set(block.bytes.subarray(offset, offset + length), waiting);
    this.#slot = slot;
    this.#from = 0;
    this.#to = waiting + length;
  }

  /** Takes over a pipe with bytes for the socket. Returns like `flush`. */
  sendPipe(pipe: Pipe): number {
    this.#pipe = pipe;
    return this.flush();
  }

  /** Writes what waits if the socket takes bytes again. Reading notices an error. */
  flushAfter(events: number): void {
    if (events & epoll.out && this.isBlocked) this.flush();
  }

  /** Writes what waits. Returns 0, or a negative error number when it failed. */
  flush(): number {
    if (this.#pipe) return this.#flushPipe(this.#pipe);
    return this.#slot ? this.#flushSlot(this.#slot) : 0;
  }

  #flushSlot(slot: Block): number {
    while (this.#from < this.#to) {
      const written = this.#write(slot, this.#from, this.#to - this.#from);
      if (written <= 0) return written;
      this.#from += written;
    }
    this.#drop();
    return 0;
  }

  #flushPipe(pipe: Pipe): number {
    while (pipe.length > 0) {
      const moved = this.#shared.libc.splice(pipe.output.fd, this.fd, pipe.length);
      if (moved === -errno.EAGAIN) return 0;
      if (moved === -errno.EINTR) continue;
      if (moved <= 0) return moved === 0 ? -errno.EPIPE : moved;
      pipe.length -= moved;
    }
    this.#drop();
    return 0;
  }

  /** Drops what waits. */
  #drop(): void {
    if (this.#slot) this.#shared.slots.give(this.#slot);
    if (this.#pipe) this.#shared.pipes.give(this.#pipe);
    this.#slot = undefined;
    this.#pipe = undefined;
  }

  /** Writes bytes, and keeps those that the socket does not take. Returns a negative error number when it failed. */
  sendBytes(bytes: Uint8Array): number {
    const { chunk } = this.#shared;
    for (let offset = 0; offset < bytes.length; offset += chunk.size) {
      const piece = bytes.subarray(offset, offset + chunk.size);
      chunk.bytes.set(piece);
      const failed = this.send(chunk, 0, piece.length);
      if (failed < 0) return failed;
    }
    return 0;
  }

  /** Ends writing after an error. */
  breakOff(): void {
    this.isBroken = true;
    this.#drop();
  }

  /** Ends the direction that is written, once. */
  shut(): void {
    if (this.#isShut || this.isBroken || this.isClosing) return;
    this.#isShut = true;
    this.#shared.libc.shutdown(this.fd, shutdownWrite);
  }

  /** Reads up to the limit into the peeked bytes. Returns like `receive`. */
  gather(limit: number): number {
    const count = this.receive(Math.min(limit - this.#pending.length, this.#shared.chunk.size));
    if (count > 0) {
      const { bytes } = this.#shared.chunk;
      const known = this.#pending;
      const pending = Buffer.allocUnsafe(known.length + count);
      pending.set(known);
      pending.set(bytes.subarray(0, count), known.length);
      this.#pending = pending;
    } else if (count === 0) this.hasEnded = true;
    return count;
  }

  peek(options: PeekOptions): Promise<Peeked> {
    return new Promise((resolve) => {
      const peek = new Peek(this, options.limit, options.isEnough, resolve);
      peek.start(options.timeoutMs);
    });
  }

  watch(limit: number, gone: () => void): () => void {
    const peek = new Peek(
      this,
      limit,
      () => false,
      ({ bytes, why }) => {
        if (why === 'lost' || (why === 'ended' && bytes.length === 0)) gone();
      },
    );
    peek.start();
    return () => peek.stop();
  }

  peeked(): Uint8Array {
    return this.#pending;
  }

  skip(count: number): void {
    this.#pending = this.#pending.subarray(count);
  }

  /** Hands the peeked bytes over, once. */
  takePending(): Uint8Array {
    const pending = this.#pending;
    this.#pending = empty;
    return pending;
  }

  write(bytes: Uint8Array): boolean {
    const { message } = this.#shared;
    if (this.isClosing || this.isBroken || this.isBlocked || bytes.length > message.size) return false;
    message.bytes.set(bytes);
    return this.send(message, 0, bytes.length) === 0 && !this.isBlocked;
  }

  discard(): void {
    this.#pending = empty;
    if (this.hasEnded) this.end('close');
    else {
      this.attach(discarding);
      if (this.isReadable) this.#shared.loop.queue(this);
    }
  }

  end(how: Ending): void {
    if (this.isClosing) return;
    if (how === 'reset') this.#shared.libc.setOption(this.fd, option.linger, 1, 0);
    this.#shared.loop.close(this);
  }

  onGone(listener: () => void): void {
    if (this.isClosed) process.nextTick(listener);
    else {
      this.#gone ??= [];
      this.#gone.push(listener);
    }
  }
}
