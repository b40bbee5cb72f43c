/** A connection over node:net. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { freeBytes, joinBytes } from '../../../platform/owned-bytes.ts';
import type { Peer } from '../../address/client.ts';
import type { Connection, Ending, Peeked, PeekOptions } from '../plane.ts';

const withoutZone = (address = ''): string => (address.includes('%') ? address.replace(/%.*$/, '') : address);
const noBytes = new Uint8Array(0);

/** Whether the end of a socket is being flushed. A reset would then fail and leave the socket open. */
const isEnding = ({ writableEnded, writableFinished }: Socket): boolean => writableEnded && !writableFinished;

/** Whether a socket can be reset. Node throws for a Unix socket. A TCP socket without an address was already reset. */
const isResettable = (socket: Socket): boolean =>
  !socket.connecting && !isEnding(socket) && socket.remoteAddress !== undefined;

export function endSocket(socket: Socket, how: Ending): void {
  if (how === 'reset' && isResettable(socket)) socket.resetAndDestroy();
  else socket.destroy();
}

/** Also the listener of errors of sockets: the event 'close' follows each error. */
export const doNothing = (): void => {};

export interface Consumer {
  readonly onChunk: (chunk: Uint8Array) => void;
  readonly onEnded: () => void;
  readonly onClosed: () => void;
}

/** The options of a peek. Without a time limit, only bytes or the end of the connection end it. */
type Until = Omit<PeekOptions, 'timeoutMs'> & Partial<PeekOptions>;

/** Writes bytes. Returns false when the socket is closed, or when too many bytes are queued in this process. */
function writeFew(socket: Socket, bytes: Uint8Array): boolean {
  return !socket.destroyed && socket.writable && socket.writableLength === 0 && socket.write(bytes);
}

const peerOf = (ip: string | undefined, port: number | undefined): Peer => ({ ip: withoutZone(ip), port: port ?? 0 });

/**
 * The socket of a connection and its peeked bytes. Adds its listeners once for all consumers: adding and removing them
 * is a large part of the cost of a short connection. The creator of the socket listens to errors.
 */
export class NetConnection implements Connection {
  readonly socket: Socket;
  #hasWritten = false;
  #isPrompt = false;
  #peekedBytes: Uint8Array = noBytes;
  #hasEnded = false;
  #consumer: Consumer | undefined;
  #isListening = false;
  #isClosed = false;
  #closeListeners: (() => void)[] = [];
  #remote: Peer | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    // Even a paused socket emits this event, when the end arrives with the last bytes.
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#consumer?.onEnded();
    });
    socket.on('close', () => this.#close());
  }

  /**
   * Handles the close. Removes the listeners of the socket, because Node keeps a closed socket and what its listeners
   * refer to until V8 collects the whole heap.
   */
  #close(): void {
    this.#isClosed = true;
    this.#freePeeked();
    this.socket.removeAllListeners().on('error', doNothing);
    const consumer = this.#consumer;
    this.#consumer = undefined;
    const listeners = this.#closeListeners;
    this.#closeListeners = [];
    for (const listener of listeners) listener();
    consumer?.onClosed();
  }

  /** Sets the consumer of further bytes. Without one, bytes are discarded. The caller pauses and resumes the socket. */
  consume(consumer: Consumer | undefined): void {
    if (this.#isClosed) {
      if (consumer) process.nextTick(() => consumer.onClosed());
      return;
    }
    this.#consumer = consumer;
    if (this.#isListening) return;
    this.#isListening = true;
    this.socket.on('data', (chunk: Uint8Array) => this.#consumer?.onChunk(chunk));
  }

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

  watch(limit: number, gone: () => void, grown = doNothing): () => void {
    const isEnough = () => {
      grown();
      return false;
    };
    return this.#peek({ limit, isEnough }, ({ bytes, why }) => {
      if (why === 'lost' || (why === 'ended' && bytes.length === 0)) gone();
    });
  }

  /** Calls back once. The returned function ends the peek without a callback. */
  #peek(options: Until, done: (peeked: Peeked) => void): () => void {
    const reason = this.socket.destroyed ? 'lost' : this.#verdict(options, 0);
    if (reason) {
      done({ bytes: this.#peekedBytes, why: reason });
      return doNothing;
    }
    const stop = () => {
      clearTimeout(timer);
      this.socket.pause();
      this.consume(undefined);
    };
    const settle = (why: Peeked['why']) => {
      stop();
      done({ bytes: this.#peekedBytes, why });
    };
    const { timeoutMs } = options;
    const timer = timeoutMs === undefined ? undefined : setTimeout(settle, timeoutMs, 'timeout');
    this.consume({
      onChunk: (chunk) => {
        const why = this.#gather(chunk, options);
        if (why) settle(why);
      },
      onEnded: () => settle('ended'),
      onClosed: () => settle('lost'),
    });
    this.socket.resume();
    return stop;
  }

  #gather(chunk: Uint8Array, options: Until): Peeked['why'] | undefined {
    const { length } = this.#peekedBytes;
    this.#peekedBytes = length === 0 ? chunk : joinBytes(this.#peekedBytes, chunk);
    return this.#verdict(options, length);
  }

  /** `checkedLength`: the number of bytes that were not enough before. */
  #verdict({ limit, isEnough }: Until, checkedLength: number): Peeked['why'] | undefined {
    if (this.#peekedBytes.length > 0 && isEnough(this.#peekedBytes, checkedLength)) return 'enough';
    if (this.#peekedBytes.length >= limit) return 'full';
    return this.#hasEnded ? 'ended' : undefined;
  }

  peeked(): Uint8Array {
    return this.#peekedBytes;
  }

  skip(count: number): void {
    this.#peekedBytes = this.#peekedBytes.subarray(count);
  }

  write(bytes: Uint8Array): boolean {
    this.#hasWritten = true;
    return writeFew(this.socket, bytes);
  }

  /**
   * Call it before each write of a relay. Sets TCP_NODELAY before the second write, or before a first write of more
   * than one segment: many short connections write only one segment and save the system call.
   */
  beforeWrite(length: number): void {
    if (this.#isPrompt) return;
    this.#isPrompt = this.#hasWritten || length > daemonBounds.segmentBytes;
    this.#hasWritten = true;
    if (this.#isPrompt) this.socket.setNoDelay(true);
  }

  discard(): void {
    const { socket } = this;
    this.#freePeeked();
    if (this.#hasEnded) socket.destroy();
    socket.once('end', () => socket.destroy()).resume();
  }

  end(how: Ending): void {
    endSocket(this.socket, how);
  }

  onGone(listener: () => void): void {
    if (this.socket.destroyed) process.nextTick(listener);
    else this.#closeListeners.push(listener);
  }

  #freePeeked(): void {
    freeBytes(this.#peekedBytes);
    this.#peekedBytes = noBytes;
  }

  drainPeeked(): Uint8Array {
    const pending = this.#peekedBytes;
    this.#peekedBytes = noBytes;
    return pending;
  }

  hasEnded(): boolean {
    return this.#hasEnded;
  }
}
