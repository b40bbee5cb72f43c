/** A connection over a socket of libc. */

import { freeBytes, joinBytes } from '../../../platform/owned-bytes.ts';
import type { Peer } from '../../address/client.ts';
import { epoll, option } from '../../process/libc/abi.ts';
import { errno } from '../../process/libc/libc.ts';
import type { Connection, Ending, Peeked, PeekOptions } from '../plane.ts';
import { state } from './loop.ts';
import { Peek } from './peek.ts';
import type { Reader } from './reader.ts';
import { Sender } from './sender.ts';
import type { Shared } from './shared.ts';
import { decodeAddress } from './socket-address.ts';

/** Events after which reading continues until it fails or reports the end: an error can follow the last bytes. */
const errorOrHangUpEvents = epoll.hangUp | epoll.error;
const allEvents = epoll.in | epoll.urgent | epoll.out | epoll.peerEnded;

/** The number of reads of discarded input in one turn, before other connections continue. */
const discardsPerTurn = 4;

const noBytes = new Uint8Array(0);

const discardingReader: Reader<LinuxConnection> = {
  onEvents: (connection, events) => {
    connection.flushAfter(events);
    discardingReader.proceed(connection);
  },
  proceed: (connection) => {
    for (let budget = discardsPerTurn; connection.isReadable; budget -= 1) {
      if (budget === 0) return void connection.shared.loop.queue(connection);
      const count = connection.receive();
      if (count === 0 || (count < 0 && connection.isReadable)) return void connection.end('close');
    }
  },
  onClosed: () => {},
};

export class LinuxConnection extends Sender implements Connection {
  #reader: Reader<LinuxConnection> | undefined;
  #peekedBytes: Uint8Array = noBytes;
  #remote: Peer | undefined;
  /** Calls all listeners of the close. A function, because most connections have one listener and need no array. */
  #closeListeners: (() => void) | undefined;
  relayedBytes = 0;
  /** The number of following bytes that a relay does not inspect. -1: all of them, see `allBytes` in relay-bytes.ts. */
  uninspectedBytes = 0;
  /** The number of full reads in a row. Negative when the socket cannot be spliced: see `neverFull` in relay-bytes.ts. */
  fullReads = 0;

  constructor(shared: Shared, fd: number, remote?: Peer) {
    super(shared, fd);
    this.#remote = remote;
    shared.openConnections += 1;
    shared.loop.holdProcess();
  }

  get isReadable(): boolean {
    return this.is(state.readable);
  }

  /** Whether the other end has finished sending and all of its bytes are read. */
  get hasEnded(): boolean {
    return this.is(state.endRead);
  }

  get remote(): Peer {
    this.#remote ??= this.#query('remoteAddress');
    return this.#remote;
  }

  get local(): Peer {
    return this.#query('localAddress');
  }

  #query(name: 'remoteAddress' | 'localAddress'): Peer {
    const { libc, address } = this.shared;
    return libc[name](this.fd, address) < 0 ? { ip: '', port: 0 } : decodeAddress(address);
  }

  attach(reader: Reader<LinuxConnection>): void {
    this.#reader = reader;
    if (this.is(state.watched) || this.isClosing) return;
    if (this.shared.loop.add(this, allEvents) === 0) return;
    this.shared.recordExhaustion();
    this.end('reset');
  }

  /** Ends the events of `reader`. Does nothing when another reader is attached. */
  detach(reader: Reader<LinuxConnection>): void {
    if (this.#reader === reader) this.#reader = undefined;
  }

  onEvents(events: number): void {
    if (events & ~epoll.out) {
      this.set(state.readable);
      if (events & errorOrHangUpEvents) this.set(state.errorOrHangUp);
      else if (events & epoll.peerEnded) this.set(state.endReported);
      if (events & epoll.urgent) this.set(state.urgent);
    }
    this.#reader?.onEvents(this, events);
  }

  proceed(): void {
    this.#reader?.proceed(this);
  }

  onClosed(): void {
    this.shared.openConnections -= 1;
    this.dropWaiting();
    this.#freePeeked();
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.onClosed(this);
    const gone = this.#closeListeners;
    this.#closeListeners = undefined;
    gone?.();
  }

  /**
   * Delays acknowledgments. Called before the connect, so that the acknowledgment that completes the handshake is sent
   * with the first bytes. Without bytes, the system sends it after 200 ms (TCP_DELACK_MAX of net/tcp.h).
   */
  delayAcknowledgments(): void {
    this.set(state.quiet);
    this.shared.libc.setOption(this.fd, option.quickAck, 0);
  }

  /** Ends the delay, except after the end of the other side: the system has then acknowledged everything. */
  acknowledge(): void {
    if (!this.isClosing && !this.is(state.endReported)) this.shared.libc.setOption(this.fd, option.quickAck, 1);
  }

  get #readsUntilAgain(): boolean {
    return this.is(state.errorOrHangUp) || this.is(state.urgent) || this.is(state.unix);
  }

  /**
   * Reads into the chunk. Returns the number of bytes, 0 at the end, or a negative error number. EAGAIN and most short
   * reads clear `isReadable`.
   */
  receive(most = this.shared.chunk.size): number {
    if (this.is(state.allRead)) return 0;
    const count = this.shared.libc.read(this.fd, this.shared.chunk, most);
    if (count === -errno.EINTR) return this.receive(most);
    // After a short read, further bytes cause a new event (epoll(7)), unless the end was already reported.
    const isShort = count > 0 && count < most && !this.#readsUntilAgain;
    if (isShort && this.is(state.endReported)) this.set(state.allRead);
    else if (isShort || count === -errno.EAGAIN) this.clear(state.readable);
    return count;
  }

  /** Reads and appends to the peeked bytes, up to the limit. Returns the same as `receive`. */
  gather(limit: number): number {
    const count = this.receive(Math.min(limit - this.#peekedBytes.length, this.shared.chunk.size));
    if (count > 0) {
      const { bytes } = this.shared.chunk;
      this.#peekedBytes = joinBytes(this.#peekedBytes, bytes.subarray(0, count));
    } else if (count === 0) this.set(state.endRead);
    return count;
  }

  peek(options: PeekOptions): Promise<Peeked> {
    return new Promise((resolve) => {
      const peek = new Peek(this, options.limit, options.isEnough, resolve);
      peek.start(options.timeoutMs);
    });
  }

  watch(limit: number, gone: () => void, grown?: () => void): () => void {
    const peek = new Peek(
      this,
      limit,
      () => {
        grown?.();
        return false;
      },
      ({ bytes, why }) => {
        if (why === 'lost' || (why === 'ended' && bytes.length === 0)) gone();
      },
    );
    peek.start();
    return () => peek.stop();
  }

  peeked(): Uint8Array {
    return this.#peekedBytes;
  }

  skip(count: number): void {
    this.#peekedBytes = this.#peekedBytes.subarray(count);
  }

  /** Keeps bytes that a relay read and does not relay yet. They take the place of the peeked bytes. */
  hold(bytes: Uint8Array): void {
    this.#peekedBytes = bytes;
    this.set(state.held);
  }

  /** Frees the peeked bytes. Held bytes belong to the inspection, which can need them after the close. */
  #freePeeked(): void {
    if (!this.is(state.held)) freeBytes(this.#peekedBytes);
    this.#peekedBytes = noBytes;
  }

  drainPeeked(): Uint8Array {
    const pending = this.#peekedBytes;
    this.#peekedBytes = noBytes;
    return pending;
  }

  write(bytes: Uint8Array): boolean {
    const { message } = this.shared;
    if (this.isClosing || this.isBroken || this.isBlocked || bytes.length > message.size) return false;
    message.bytes.set(bytes);
    return this.send(message, 0, bytes.length) === 0 && !this.isBlocked;
  }

  discard(): void {
    this.#freePeeked();
    if (this.hasEnded) this.end('close');
    else {
      this.attach(discardingReader);
      if (this.isReadable) this.shared.loop.queue(this);
    }
  }

  end(how: Ending): void {
    if (this.isClosing) return;
    if (how === 'reset') this.shared.libc.setOption(this.fd, option.linger, 1, 0);
    this.shared.loop.close(this);
  }

  onGone(listener: () => void): void {
    const before = this.#closeListeners;
    if (this.isClosed) process.nextTick(listener);
    else if (before === undefined) this.#closeListeners = listener;
    else
      this.#closeListeners = () => {
        before();
        listener();
      };
  }
}
