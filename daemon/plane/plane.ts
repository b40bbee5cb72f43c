/** The data plane accepts, peeks at, opens and relays connections. The layers above use no sockets. */
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { Peer } from '../address/client.ts';
import type { Side } from '../inspectors/inspector.ts';

export type SocketAddress = Peer | { readonly path: string };

/**
 * How a connection ends. `close`: the system still sends the bytes that it has accepted. `reset`: shows the other end
 * that data is missing.
 */
export type Ending = 'close' | 'reset';

export interface PeekOptions {
  readonly limit: number;
  readonly timeoutMs: number;
  /** Whether the bytes suffice. `checkedLength`: the number of leading bytes for which the last call returned false. */
  readonly isEnough: (bytes: Uint8Array, checkedLength: number) => boolean;
}

export interface Peeked {
  /** All bytes so far. The connection keeps them, and they are relayed first. */
  readonly bytes: Uint8Array;
  /** `full`: the limit is reached. `ended`: the other end has finished sending. `lost`: the connection is closed. */
  readonly why: 'enough' | 'full' | 'timeout' | 'ended' | 'lost';
}

/** A connection that is not relayed yet. Only `peek`, `watch`, `discard` and a relay read from it. */
export interface Connection {
  readonly remote: Peer;
  readonly local: Peer;
  readonly peek: (options: PeekOptions) => Promise<Peeked>;
  /** The peeked bytes that were not skipped. */
  readonly peeked: () => Uint8Array;
  /** Removes the first `count` peeked bytes. These bytes are not relayed. */
  readonly skip: (count: number) => void;
  /** Writes a few bytes, such as a header. Returns false when the connection is closed or accepts no more bytes. */
  readonly write: (bytes: Uint8Array) => boolean;
  /**
   * Reads until `limit` bytes are peeked, including the bytes that were peeked before. Calls back once when the other
   * end closes, or finishes sending before its first byte. `grown`: called after bytes were peeked. Returns a function
   * that ends the watch.
   */
  readonly watch: (limit: number, gone: () => void, grown?: () => void) => () => void;
  /** Discards all input, so that the end of the other side is detected. */
  readonly discard: () => void;
  readonly end: (how: Ending) => void;
  /** Calls the listener once when the connection is closed. If it is already closed, soon after this call. */
  readonly onGone: (listener: () => void) => void;
}

/** The end of a client's chunk waits: `passedBytes` of the chunk are relayed, `held` are not. The array must not change. */
export interface HeldChunk {
  readonly passedBytes: number;
  /** At least one byte. */
  readonly held: Uint8Array;
}

/**
 * The verdict on a chunk. `stop`: relaying ends. A number: the chunk is relayed, and so is this number of following
 * bytes without inspection. `instead`: these bytes replace the chunk. The array must not change later. A `HeldChunk`
 * only of the client: no more of its bytes are read until `Relay.resume`.
 */
export type ChunkVerdict = 'stop' | number | { readonly instead: Uint8Array } | HeldChunk;

export interface RelayHooks {
  /**
   * Called with all bytes in order, except peeked bytes and those that a verdict leaves uninspected. The bytes are
   * valid only during the call.
   */
  readonly inspect: ((side: Side, chunk: Uint8Array) => ChunkVerdict) | undefined;
  /** The number of peeked bytes of the client that go first. The others are held. Undefined: all. */
  readonly passedBytes?: number | undefined;
  /**
   * Called when the bytes change that the relay keeps in memory because a receiver does not read, or that were read
   * behind held bytes. The held bytes themselves are left out.
   */
  readonly stalled?: (bytes: number) => void;
  /** Called once when both connections are closed. */
  readonly ended: (end: RelayEnd) => void;
}

/** `stopped`: by `stop` or by the inspection. `lost`: the side closed before it had finished sending. */
export type RelayEnd = 'closed' | 'client_lost' | 'upstream_lost' | 'stopped';

export interface Relay {
  /** The number of relayed bytes. `bytesIn`: from the client. `bytesOut`: to the client. */
  readonly bytesIn: () => number;
  readonly bytesOut: () => number;
  /** When a byte was last relayed or the relay started, milliseconds of `performance.now()`. */
  readonly activeAt: () => number;
  /** Inspects the held bytes of the client again, soon after this call. Without held bytes, does nothing. */
  readonly resume: () => void;
  /** Ends both sides. Resets the upstream, and a client with unsent bytes, because their data is incomplete. */
  readonly stop: (client: Ending) => void;
}

export type ConnectOutcome<C extends Connection> =
  | { readonly ok: true; readonly connection: C }
  | { readonly ok: false; readonly why: ConnectFailure };

/** `refused`: the upstream refused. `unreachable`: there is no route. `exhausted`: this host ran out of a resource. */
export type ConnectFailure = 'refused' | 'timeout' | 'unreachable' | 'exhausted';

export interface ListenHandlers<C extends Connection> {
  /** A descriptor that already listens on the port of the endpoint. */
  readonly descriptor?: number;
  readonly accept: (connection: C) => void;
  /** Called when a connection was reset before it was accepted. The address of its client is unknown. */
  readonly unattributed: () => void;
  /** Called when accepting failed, for example without free descriptors. The listener continues. */
  readonly fault: (message: string) => void;
}

export interface Listener {
  readonly endpoint: Endpoint;
  /** Whether another process has the socket, too. The socket then stays open when this process ends. */
  readonly isShared?: true;
  /** Stops accepting. Open connections continue. */
  readonly close: () => Promise<void>;
}

export interface PlaneCounters {
  readonly accepted: number;
  /** The number of open connections, of clients and to upstreams. */
  readonly open: number;
  readonly acceptFaults: number;
  /** When a connection last failed for lack of descriptors, ports or memory: milliseconds of `performance.now()`. */
  readonly exhaustedAt: number;
}

export interface PlaneOptions {
  /** Whether this process is a worker: workers listen on the same ports, and the system distributes connections. */
  readonly isWorker: boolean;
}

/** A data plane. `C`: the type of its connections. */
export interface DataPlane<C extends Connection> {
  /** Rejects with an error that has a `code` when the endpoint cannot be bound. */
  readonly listen: (endpoint: Endpoint, handlers: ListenHandlers<C>) => Promise<Listener>;
  /**
   * Listens before it returns. The host must be an address. @throws an error that has a `code` when the endpoint cannot
   * be bound
   */
  readonly listenNow: (endpoint: Endpoint, handlers: ListenHandlers<C>) => Listener;
  /**
   * Connects to one address. Calls back once, maybe during the call. The returned function cancels the attempt, and has
   * no effect after the callback. The caller limits the time.
   */
  readonly connect: (address: SocketAddress, done: (outcome: ConnectOutcome<C>) => void) => () => void;
  /** Relays between two connections. Peeked bytes go first, without inspection, unless `passedBytes` holds some. */
  readonly relay: (client: C, upstream: C, hooks: RelayHooks) => Relay;
  readonly counters: () => PlaneCounters;
}
