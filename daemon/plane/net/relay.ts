/** Relays between two sockets with back-pressure in both directions. Each direction ends separately. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Entry } from '../../../platform/linked-list.ts';
import type { Side } from '../../inspectors/inspector.ts';
import { sharedTimer, type Waiter } from '../../time/shared-timer.ts';
import type { Ending, Relay, RelayEnd, RelayHooks } from '../plane.ts';
import { type Consumer, endSocket, type NetConnection } from './connection.ts';
import { type Activity, Writer } from './writer.ts';

interface RelayState extends Activity {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly hooks: RelayHooks;
  end: RelayEnd | undefined;
  open: number;
  requests: Direction | undefined;
  /** The bytes that both directions keep. */
  keptBytes: number;
}

const noBytes = new Uint8Array(0);

function stopRelay(state: RelayState, end: RelayEnd, client: Ending): void {
  state.end ??= end;
  const isWhole = state.client.writableLength === 0;
  endSocket(state.client, isWhole ? client : 'reset');
  endSocket(state.upstream, 'reset');
}

/** Ends a direction after all bytes are written. Until then the socket can be reset. */
function endWhenWritten(socket: Socket): void {
  if (socket.writableLength === 0) socket.end();
  else socket.write(noBytes, () => socket.end());
}

/** Detects a reset of a half-closed socket, which is not read. An empty write sends nothing and fails after a reset. */
class HalfClosed implements Waiter {
  since = 0;
  readonly #socket: Socket;
  #waiting = this.#wait();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  #wait(): Entry<Waiter> {
    this.since = performance.now();
    return sharedTimer(daemonBounds.halfClosedMs).add(this);
  }

  onElapsed(): void {
    const { writable, writableLength } = this.#socket;
    if (writable && writableLength === 0) this.#socket.write(noBytes);
    this.#waiting = this.#wait();
  }

  stop(): void {
    sharedTimer(daemonBounds.halfClosedMs).remove(this.#waiting);
  }
}

class Direction implements Consumer {
  bytes = 0;
  #unseen: number;
  readonly #state: RelayState;
  readonly #side: Side;
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #lost: RelayEnd;
  readonly #writer: Writer;
  readonly #receiver: NetConnection;
  #halfClosed: HalfClosed | undefined;
  /** Bytes that wait until `resume`. Reading is paused meanwhile. */
  #held: Uint8Array | undefined;
  #hasEndedBehindHeld = false;
  #isDropping = false;
  #keptBytes = 0;
  #isReadAheadWatched = false;

  constructor(state: RelayState, side: Side, from: NetConnection, to: NetConnection, lost: RelayEnd) {
    this.#state = state;
    this.#side = side;
    this.#from = from.socket;
    this.#to = to.socket;
    this.#lost = lost;
    this.#unseen = state.hooks.inspect ? 0 : Number.POSITIVE_INFINITY;
    this.#writer = new Writer(this, to.socket, state);
    this.#receiver = to;
  }

  onChunk(chunk: Uint8Array): void {
    if (this.#held || this.#isDropping) return; // the upstream has ended, and bytes that still arrive are discarded
    this.#state.activeAt = performance.now();
    this.#relayChunk(chunk);
  }

  /** Inspects and relays a chunk. Returns false when reading was paused. */
  #relayChunk(chunk: Uint8Array): boolean {
    const bytes = this.#inspect(chunk);
    const canContinueReading = bytes.length === 0 || !this.#to.writable || this.#write(bytes);
    return canContinueReading && !this.#held;
  }

  /** Called by the writer when its queue is full. */
  pause(): void {
    this.#from.pause();
    this.#watchReadAhead();
    this.#countKept();
  }

  /** Called by the writer when its queue has drained. */
  resume(): void {
    if (this.#held) this.#countKept();
    else {
      this.#keep(0);
      this.#from.resume();
    }
  }

  #hold(bytes: Uint8Array): void {
    if (this.#to.readableEnded) {
      this.#isDropping = true; // the upstream has finished sending, so nothing can end their wait
      return;
    }
    this.#held = bytes;
    this.#from.pause();
    this.#watchReadAhead();
  }

  /** Node stops reading a paused socket only after one more chunk, which it keeps. */
  #watchReadAhead(): void {
    if (this.#isReadAheadWatched) return;
    this.#isReadAheadWatched = true;
    const from = this.#from;
    const { push } = from;
    from.push = (chunk, encoding) => {
      const canContinueReading = push.call(from, chunk, encoding);
      if (from.readableLength > 0) this.#countKept();
      return canContinueReading;
    };
  }

  #countKept(): void {
    this.#keep(this.#to.writableLength + this.#from.readableLength);
  }

  #keep(bytes: number): void {
    const state = this.#state;
    state.keptBytes += bytes - this.#keptBytes;
    this.#keptBytes = bytes;
    state.hooks.stalled?.(state.keptBytes);
  }

  /** Inspects the held bytes again, and reads on unless some are still held. */
  releaseHeld(): void {
    const held = this.#held;
    if (!held || this.#from.destroyed) return;
    this.#held = undefined;
    const canContinueReading = this.#relayChunk(held);
    if (this.#held) return;
    if (this.#hasEndedBehindHeld) this.onEnded();
    else if (canContinueReading) this.resume();
  }

  /** Relays bytes to the receiver. Returns false when reading was paused. */
  #write(bytes: Uint8Array): boolean {
    this.#receiver.beforeWrite(bytes.length);
    this.bytes += bytes.length;
    return this.#writer.write(bytes);
  }

  /** Inspects a chunk. Returns the bytes to relay. On `stop`, ends the relay unless it has already ended. */
  #inspect(chunk: Uint8Array): Uint8Array {
    const passed = this.#unseen;
    if (passed >= chunk.length) {
      this.#unseen = passed - chunk.length;
      return chunk;
    }
    const { inspect } = this.#state.hooks;
    const verdict = inspect?.(this.#side, passed === 0 ? chunk : chunk.subarray(passed)) ?? Number.POSITIVE_INFINITY;
    if (verdict === 'stop') {
      stopRelay(this.#state, 'stopped', 'close');
      return noBytes;
    }
    this.#unseen = typeof verdict === 'number' ? verdict : 0;
    if (typeof verdict === 'number') return chunk;
    if ('held' in verdict) {
      this.#hold(verdict.held);
      return chunk.subarray(0, passed + verdict.passedBytes);
    }
    return passed === 0 ? verdict.instead : Buffer.concat([chunk.subarray(0, passed), verdict.instead]);
  }

  /** Drops the held bytes: the upstream has finished sending, so nothing can end their wait. */
  dropHeld(): void {
    if (!this.#held) return;
    this.#held = undefined;
    this.#isDropping = true;
    this.resume();
    if (this.#hasEndedBehindHeld) this.onEnded();
  }

  onEnded(): void {
    const to = this.#to;
    if (this.#side === 'server') this.#state.requests?.dropHeld();
    if (this.#held) this.#hasEndedBehindHeld = true;
    else if (to.readableEnded && to.writableLength === 0)
      to.destroy(); // its other direction has already ended
    else this.#end();
  }

  #end(): void {
    endWhenWritten(this.#to);
    this.#halfClosed = new HalfClosed(this.#from);
  }

  onClosed(): void {
    this.#halfClosed?.stop();
    onClose(this.#state, this.#from, this.#to, this.#lost);
  }

  begin(from: NetConnection, passedBytes?: number): void {
    const peeked = from.drainPeeked();
    const pending = peeked.subarray(0, passedBytes);
    const canContinueReading = pending.length === 0 || this.#write(pending);
    if (pending.length < peeked.length) this.#hold(peeked.subarray(pending.length));
    if (from.hasEnded()) this.onEnded();
    else if (canContinueReading) this.resume();
  }
}

/** Discards the bytes that `other` still sends. An immediate close would discard what its peer has not read yet. */
function linger(other: Socket): void {
  other.resume();
  const timer = setTimeout(() => other.destroy(), daemonBounds.lingerMs);
  other.once('close', () => clearTimeout(timer));
}

/** Handles the close of a side. The other side gets the data if it is complete, otherwise a reset. */
function onClose(state: RelayState, gone: Socket, other: Socket, lost: RelayEnd): void {
  state.open -= 1;
  if (state.open === 0) state.hooks.ended(state.end ?? 'closed');
  else if (gone.readableEnded && !other.readableEnded) linger(other);
  else if (!gone.readableEnded) {
    state.end ??= lost;
    endSocket(other, 'reset');
  }
}

export function startNetRelay(client: NetConnection, upstream: NetConnection, hooks: RelayHooks): Relay {
  const state: RelayState = {
    client: client.socket,
    upstream: upstream.socket,
    hooks,
    activeAt: performance.now(),
    end: undefined,
    open: 2,
    requests: undefined,
    keptBytes: 0,
  };
  const requests = new Direction(state, 'client', client, upstream, 'client_lost');
  const responses = new Direction(state, 'server', upstream, client, 'upstream_lost');
  state.requests = requests;
  client.consume(requests);
  upstream.consume(responses);
  requests.begin(client, hooks.passedBytes);
  responses.begin(upstream);
  return {
    bytesIn: () => requests.bytes,
    bytesOut: () => responses.bytes,
    activeAt: () => state.activeAt,
    resume: () => process.nextTick(() => requests.releaseHeld()),
    stop: (how) => stopRelay(state, 'stopped', how),
  };
}
