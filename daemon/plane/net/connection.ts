/** A connection over node:net. */
import type { Socket } from 'node:net';
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

interface State {
  pending: Uint8Array;
  hasEnded: boolean;
}

function gather(state: State, chunk: Uint8Array): void {
  state.pending = state.pending.length === 0 ? chunk : Buffer.concat([state.pending, chunk]);
}

/** Without a time limit, a peek ends by what arrives. */
type Until = Omit<PeekOptions, 'timeoutMs'> & Partial<PeekOptions>;

/** `known`: the number of bytes that were not enough before. */
function verdict(state: State, { limit, isEnough }: Until, known: number): Peeked['why'] | undefined {
  if (state.pending.length > 0 && isEnough(state.pending, known)) return 'enough';
  if (state.pending.length >= limit) return 'full';
  return state.hasEnded ? 'ended' : undefined;
}

const ignore = (): void => {};

/** Calls back once, unless the returned function has ended the peek before. */
function peekSocket(socket: Socket, state: State, options: Until, done: (peeked: Peeked) => void): () => void {
  const known = socket.destroyed ? 'lost' : verdict(state, options, 0);
  if (known) {
    done({ bytes: state.pending, why: known });
    return ignore;
  }
  const stop = () => {
    clearTimeout(timer);
    socket.pause();
    socket.off('data', onData).off('end', onEnd).off('close', onClose);
  };
  const settle = (why: Peeked['why']) => {
    stop();
    done({ bytes: state.pending, why });
  };
  const onData = (chunk: Uint8Array) => {
    const { length } = state.pending;
    gather(state, chunk);
    const why = verdict(state, options, length);
    if (why) settle(why);
  };
  const onEnd = () => settle('ended');
  const onClose = () => settle('lost');
  const { timeoutMs } = options;
  const timer = timeoutMs === undefined ? undefined : setTimeout(settle, timeoutMs, 'timeout');
  socket.on('data', onData).on('end', onEnd).on('close', onClose);
  socket.resume();
  return stop;
}

/** Writes only as much as fits into kernel buffers, so that nothing is queued in this process. */
function writeFew(socket: Socket, bytes: Uint8Array): boolean {
  return !socket.destroyed && socket.writable && socket.writableLength === 0 && socket.write(bytes);
}

const peerOf = (ip: string | undefined, port: number | undefined): Peer => ({ ip: withoutZone(ip), port: port ?? 0 });

/** The socket of a connection, with the bytes that were peeked and not relayed. */
export class NetConnection implements Connection {
  readonly socket: Socket;
  readonly #state: State = { pending: empty, hasEnded: false };
  readonly #gone: (() => void)[] = [];
  #remote: Peer | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    // A paused socket can emit its end too, when it arrives with the last bytes.
    socket.on('end', () => {
      this.#state.hasEnded = true;
    });
    socket.on('error', ignore); // 'close' follows every error
    socket.on('close', () => {
      for (const listener of this.#gone) listener();
      // Node keeps a closed socket until the whole heap is collected. What its listeners refer to would be kept too.
      socket.removeAllListeners().on('error', ignore);
    });
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
    return new Promise((resolve) => peekSocket(this.socket, this.#state, options, resolve));
  }

  watch(limit: number, gone: () => void): () => void {
    return peekSocket(this.socket, this.#state, { limit, isEnough: () => false }, ({ bytes, why }) => {
      if (why === 'lost' || (why === 'ended' && bytes.length === 0)) gone();
    });
  }

  peeked(): Uint8Array {
    return this.#state.pending;
  }

  skip(count: number): void {
    this.#state.pending = this.#state.pending.subarray(count);
  }

  write(bytes: Uint8Array): boolean {
    return writeFew(this.socket, bytes);
  }

  discard(): void {
    const { socket } = this;
    if (this.#state.hasEnded) socket.destroy();
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
    const { pending } = this.#state;
    this.#state.pending = empty;
    return pending;
  }

  /** Whether the other end has ended its direction. */
  hasEnded(): boolean {
    return this.#state.hasEnded;
  }
}
