/** A connection over node:net. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Peer } from '../../address/client.ts';
import type { Connection, Ending, Peeked, PeekOptions } from '../plane.ts';

const withoutZone = (address = ''): string => (address.includes('%') ? address.replace(/%.*$/, '') : address);
const empty = new Uint8Array(0);

/** While the end of a socket is being flushed, a reset fails and would leave the socket open. */
const isEnding = ({ writableEnded, writableFinished }: Socket): boolean => writableEnded && !writableFinished;

/** Unix sockets have no reset, and Node throws for one. Sockets of TCP that have no address are reset already. */
const isResettable = (socket: Socket): boolean =>
  !socket.connecting && !isEnding(socket) && socket.remoteAddress !== undefined;

export function endSocket(socket: Socket, how: Ending): void {
  if (how === 'reset' && isResettable(socket)) socket.resetAndDestroy();
  else socket.destroy();
}

/** For errors of sockets: 'close' follows each. */
export const ignore = (): void => {};

/** What takes the bytes of a connection: a peek, or the relay. */
export interface Consumer {
  readonly take: (chunk: Uint8Array) => void;
  /** The other end has ended its direction. */
  readonly ended: () => void;
  readonly closed: () => void;
}

/** Without a time limit, a peek ends by what arrives. */
type Until = Omit<PeekOptions, 'timeoutMs'> & Partial<PeekOptions>;

/** Writes only as much as fits into kernel buffers, so that nothing is queued in this process. */
function writeFew(socket: Socket, bytes: Uint8Array): boolean {
  return !socket.destroyed && socket.writable && socket.writableLength === 0 && socket.write(bytes);
}

const peerOf = (ip: string | undefined, port: number | undefined): Peer => ({ ip: withoutZone(ip), port: port ?? 0 });

/**
 * The socket of a connection, with the bytes that were peeked and not relayed. It listens to the socket once for all consumers:
 * to add and remove listeners is a large part of what a short connection costs. Its owner listens to errors, because it may do
 * so already.
 */
export class NetConnection implements Connection {
  readonly socket: Socket;
  #hasWritten = false;
  /** It has TCP_NODELAY. */
  #isPrompt = false;
  #pending: Uint8Array = empty;
  #hasEnded = false;
  #consumer: Consumer | undefined;
  #isListening = false;
  #isClosed = false;
  #gone: (() => void)[] = [];
  #remote: Peer | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    // A paused socket can emit its end too, when it arrives with the last bytes.
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#consumer?.ended();
    });
    socket.on('close', () => this.#close());
  }

  /** Node keeps a closed socket until the whole heap is collected. What its listeners refer to would be kept too. */
  #close(): void {
    this.#isClosed = true;
    this.socket.removeAllListeners().on('error', ignore);
    const consumer = this.#consumer;
    this.#consumer = undefined;
    const listeners = this.#gone;
    this.#gone = [];
    for (const listener of listeners) listener();
    consumer?.closed();
  }

  /** Hands the bytes to come to a consumer. Undefined: they are discarded. The caller pauses and resumes the socket. */
  consume(consumer: Consumer | undefined): void {
    if (this.#isClosed) {
      if (consumer) process.nextTick(() => consumer.closed());
      return;
    }
    this.#consumer = consumer;
    if (this.#isListening) return;
    this.#isListening = true;
    this.socket.on('data', (chunk: Uint8Array) => this.#consumer?.take(chunk));
  }

  /** Queried on demand: addresses of upstreams are never used. */
  get remote(): Peer {
    this.#remote ??= peerOf(this.socket.remoteAddress, this.socket.remotePort);
    return this.#remote;
  }

  get local(): Peer {
    return peerOf(this.socket.localAddress, this.socket.localPort);
  }

  peek(options: PeekOptions): Promise<Peeked> {
    return new Promise((resolve) => this.#peek(options, resolve));
  }

  watch(limit: number, gone: () => void): () => void {
    return this.#peek({ limit, isEnough: () => false }, ({ bytes, why }) => {
      if (why === 'lost' || (why === 'ended' && bytes.length === 0)) gone();
    });
  }

  /** Calls back once, unless the returned function has ended the peek before. */
  #peek(options: Until, done: (peeked: Peeked) => void): () => void {
    const known = this.socket.destroyed ? 'lost' : this.#verdict(options, 0);
    if (known) {
      done({ bytes: this.#pending, why: known });
      return ignore;
    }
    const stop = () => {
      clearTimeout(timer);
      this.socket.pause();
      this.consume(undefined);
    };
    const settle = (why: Peeked['why']) => {
      stop();
      done({ bytes: this.#pending, why });
    };
    const { timeoutMs } = options;
    const timer = timeoutMs === undefined ? undefined : setTimeout(settle, timeoutMs, 'timeout');
    this.consume({
      take: (chunk) => {
        const why = this.#gather(chunk, options);
        if (why) settle(why);
      },
      ended: () => settle('ended'),
      closed: () => settle('lost'),
    });
    this.socket.resume();
    return stop;
  }

  #gather(chunk: Uint8Array, options: Until): Peeked['why'] | undefined {
    const { length } = this.#pending;
    this.#pending = length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    return this.#verdict(options, length);
  }

  /** `known`: the number of bytes that were not enough before. */
  #verdict({ limit, isEnough }: Until, known: number): Peeked['why'] | undefined {
    if (this.#pending.length > 0 && isEnough(this.#pending, known)) return 'enough';
    if (this.#pending.length >= limit) return 'full';
    return this.#hasEnded ? 'ended' : undefined;
  }

  peeked(): Uint8Array {
    return this.#pending;
  }

  skip(count: number): void {
    this.#pending = this.#pending.subarray(count);
  }

  write(bytes: Uint8Array): boolean {
    this.#hasWritten = true;
    return writeFew(this.socket, bytes);
  }

  /**
   * Prepares a write of a relay. Sets TCP_NODELAY, because small writes would wait for acknowledgements of earlier ones. A first
   * segment waits for none, and many short connections write no second one: they save a system call.
   */
  hurry(length: number): void {
    if (this.#isPrompt) return;
    this.#isPrompt = this.#hasWritten || length > daemonBounds.segmentBytes;
    this.#hasWritten = true;
    if (this.#isPrompt) this.socket.setNoDelay(true);
  }

  discard(): void {
    const { socket } = this;
    if (this.#hasEnded) socket.destroy();
    socket.once('end', () => socket.destroy()).resume();
  }

  end(how: Ending): void {
    endSocket(this.socket, how);
  }

  onGone(listener: () => void): void {
    if (this.socket.destroyed) process.nextTick(listener);
    else this.#gone.push(listener);
  }

  /** Hands the peeked bytes over, once. */
  takePending(): Uint8Array {
    const pending = this.#pending;
    this.#pending = empty;
    return pending;
  }

  /** Whether the other end has ended its direction. */
  hasEnded(): boolean {
    return this.#hasEnded;
  }
}
