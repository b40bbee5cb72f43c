/**
 * The data plane: accepts, peeks at, opens and relays connections. The layers above use only this interface and no
 * sockets, so that the implementation can be replaced.
 */
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { Peer } from '../address/client.ts';
import type { Side } from '../inspectors/inspector.ts';

/** Where to connect: an address with a port, or the path of a Unix socket. */
export type SocketAddress = Peer | { readonly path: string };

/** `close` sends all written bytes first. `reset` signals the other end that data is missing. */
export type Ending = 'close' | 'reset';

export interface PeekOptions {
  /** The most bytes to wait for. */
  readonly limit: number;
  readonly timeoutMs: number;
  /** Whether all bytes so far are enough. The first `known` of them were not. */
  readonly isEnough: (bytes: Uint8Array, known: number) => boolean;
}

export interface Peeked {
  /** All bytes so far. They stay on the connection and are relayed first. */
  readonly bytes: Uint8Array;
  /** `full`: the limit is reached. `ended`: the other end sends no more. `lost`: the connection is closed. */
  readonly why: 'enough' | 'full' | 'timeout' | 'ended' | 'lost';
}

/** A connection that is not relayed yet. It is read only by `peek` and by a relay. */
export interface Connection {
  readonly remote: Peer;
  readonly local: Peer;
  readonly peek: (options: PeekOptions) => Promise<Peeked>;
  /** The peeked bytes that were not skipped. */
  readonly peeked: () => Uint8Array;
  /** Removes bytes from the start of the peeked ones, so that they are not relayed. */
  readonly skip: (count: number) => void;
  /** For a few bytes, such as a header. False: the other end does not drain them. */
  readonly write: (bytes: Uint8Array) => boolean;
  /**
   * Reads up to `limit` bytes, which are added to the peeked ones. Calls back once when the other end closes, or ends its
   * direction without having sent a byte. Returns what ends the watch.
   */
  readonly watch: (limit: number, gone: () => void) => () => void;
  /** Discards all input, so that the end of the other side is noticed. */
  readonly discard: () => void;
  readonly end: (how: Ending) => void;
  /** Called once when the connection is closed, or soon after if it is already closed. */
  readonly onGone: (listener: () => void) => void;
}

/**
 * Relaying stops, or the chunk passes and with it this number of the following bytes of the same direction, which are not
 * inspected: 0 for none, Infinity for all. `instead`: these bytes pass in place of the chunk, possibly none. They do not
 * change any more.
 */
export type ChunkVerdict = 'stop' | number | { readonly instead: Uint8Array };

export interface RelayHooks {
  /**
   * Called with all bytes in order before they pass, except those that a verdict lets pass unseen. The bytes are valid only
   * during the call. Undefined: no inspection.
   */
  readonly inspect: ((side: Side, chunk: Uint8Array) => ChunkVerdict) | undefined;
  /** Called once when both connections are closed. */
  readonly ended: (end: RelayEnd) => void;
}

/** `stopped`: by `stop` or by the inspection. A side is `lost` when it closed without ending its direction. */
export type RelayEnd = 'closed' | 'client_lost' | 'upstream_lost' | 'stopped';

/** Two connections that are being relayed. */
export interface Relay {
  /** Relayed bytes: in from the client, out to the client. */
  readonly bytesIn: () => number;
  readonly bytesOut: () => number;
  /** When a byte was last relayed, milliseconds of `performance.now()`. */
  readonly activeAt: () => number;
  /** Ends both sides. Resets the upstream, and a client with unsent bytes, because its data is incomplete. */
  readonly stop: (client: Ending) => void;
}

export type ConnectOutcome<C extends Connection> =
  | { readonly ok: true; readonly connection: C }
  | { readonly ok: false; readonly why: ConnectFailure };

/** `refused`: the upstream refused. `timeout`: it did not respond. `unreachable`: no route. `exhausted`: this host ran out of a resource. */
export type ConnectFailure = 'refused' | 'timeout' | 'unreachable' | 'exhausted';

export interface ListenHandlers<C extends Connection> {
  /** A descriptor that listens already, on the port of the endpoint. */
  readonly descriptor?: number;
  readonly accept: (connection: C) => void;
  /** A connection was reset before it was accepted, and the address of its client is not known. */
  readonly unattributed: () => void;
  /** Accepting failed, such as without descriptors. The listener continues. */
  readonly fault: (message: string) => void;
}

export interface Listener {
  /** With the actual port where 0 was requested. */
  readonly endpoint: Endpoint;
  /** The descriptor of the listening socket, which the listener owns. Undefined: the plane does not expose it. */
  readonly descriptor: number | undefined;
  /** Another process has the socket, too, and keeps it open with all of its options. */
  readonly isShared?: true;
  /** Stops accepting. Connections continue. */
  readonly close: () => Promise<void>;
}

export interface PlaneCounters {
  readonly accepted: number;
  /** Open connections, of clients and to upstreams. */
  readonly open: number;
  readonly acceptFaults: number;
  /** When a connection last failed for lack of descriptors, ports or memory, milliseconds of `performance.now()`. -Infinity: never. */
  readonly exhaustedAt: number;
}

export interface PlaneOptions {
  /**
   * The process does nothing but relay. Other processes of this user can listen on the same port, and the system distributes
   * connections.
   */
  readonly isWorker: boolean;
}

/** `C` is the plane's own kind of connection: it relays no other. */
export interface DataPlane<C extends Connection> {
  /** Rejects with an error that has a `code` when the endpoint cannot be bound. */
  readonly listen: (endpoint: Endpoint, handlers: ListenHandlers<C>) => Promise<Listener>;
  /**
   * Listens before it returns, on an address and not on a name, and on a port that no other process listens on.
   * @throws an error that has a `code` when the endpoint cannot be bound
   */
  readonly listenNow: (endpoint: Endpoint, handlers: ListenHandlers<C>) => Listener;
  /**
   * Connects to one address. Calls back once, possibly during the call. Returns what cancels the attempt: its descriptor is
   * closed and nothing is called back. Without effect after the callback. The caller limits the time.
   */
  readonly connect: (address: SocketAddress, done: (outcome: ConnectOutcome<C>) => void) => () => void;
  /** Relays between two connections. Peeked bytes go first and are not inspected. */
  readonly relay: (client: C, upstream: C, hooks: RelayHooks) => Relay;
  readonly counters: () => PlaneCounters;
}
