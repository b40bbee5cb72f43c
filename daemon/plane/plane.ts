/**
 * What moves bytes. Nothing above it knows sockets: connections are accepted, looked at, opened and joined through this
 * interface, so that another way to move bytes can take its place.
 */
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { Side } from '../inspectors/inspector.ts';

/** One end of a connection. */
export interface Peer {
  /** Address as the system writes it, without a zone; IPv4 may be mapped into IPv6. */
  readonly ip: string;
  readonly port: number;
}

/** `close` ends in order, with what was written; `reset` tells the other end that something is missing. */
export type Ending = 'close' | 'reset';

export interface PeekOptions {
  /** Bytes that are awaited at most. */
  readonly limit: number;
  readonly timeoutMs: number;
  /** Whether these bytes, all so far, will do; the first `known` of them would not. */
  readonly isEnough: (bytes: Uint8Array, known: number) => boolean;
}

export interface Peeked {
  /** Everything so far. It stays on the connection and is relayed first. */
  readonly bytes: Uint8Array;
  /** `full`: the limit is reached; `ended`: the other end sends no more; `lost`: the connection is gone. */
  readonly why: 'enough' | 'full' | 'timeout' | 'ended' | 'lost';
}

/** A connection that is not relayed yet. It is not read from before `peek` or a relay asks. */
export interface Connection {
  readonly remote: Peer;
  readonly local: Peer;
  readonly peek: (options: PeekOptions) => Promise<Peeked>;
  /** What was peeked and is still there. */
  readonly peeked: () => Uint8Array;
  /** Takes bytes off the beginning of what was peeked: they are not relayed. */
  readonly skip: (count: number) => void;
  /** For a few bytes: a header, a tarpit. False: the other end does not take them. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** Reads and forgets what comes, so that the end of the other side is noticed. */
  readonly discard: () => void;
  readonly end: (how: Ending) => void;
  /** Told once, when the connection is gone; in the next turn when it is gone already. */
  readonly onGone: (listener: () => void) => void;
}

/** What becomes of a chunk: it passes; it passes and the rest need not be shown; or nothing passes any more. */
export type ChunkVerdict = 'pass' | 'blind' | 'stop';

export interface RelayHooks {
  /** Sees each chunk before it passes. The bytes are valid during the call alone. Undefined: nothing is looked at. */
  readonly inspect: ((side: Side, chunk: Uint8Array) => ChunkVerdict) | undefined;
  /** Told once, when both connections are gone. */
  readonly ended: (end: RelayEnd) => void;
}

/** `stopped`: by `stop`, or a look said so. A side is `lost` when it ended out of order. */
export type RelayEnd = 'closed' | 'client_lost' | 'upstream_lost' | 'stopped';

/** Two connections that are joined. */
export interface Relay {
  /** Bytes from the client that were passed on, and to it. */
  readonly bytesIn: () => number;
  readonly bytesOut: () => number;
  /** When a byte last moved, milliseconds of `performance.now()`. */
  readonly activeAt: () => number;
  /** Ends both; the upstream by a reset, and so a client that has not been sent all: half a message is no whole one. */
  readonly stop: (client: Ending) => void;
}

export type ConnectOutcome =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly why: ConnectFailure };

/** `refused`: the upstream said no; `timeout`: it said nothing; `unreachable`: no way, no name; `exhausted`: our own lack. */
export type ConnectFailure = 'refused' | 'timeout' | 'unreachable' | 'exhausted';

export interface ListenHandlers {
  readonly accept: (connection: Connection) => void;
  /** Accepting failed, such as for want of descriptors. The listener stays. */
  readonly fault: (message: string) => void;
}

export interface Listener {
  /** With the port that was taken where 0 was asked for. */
  readonly endpoint: Endpoint;
  /** Accepts no more; connections stay. */
  readonly close: () => Promise<void>;
}

export interface PlaneCounters {
  readonly accepted: number;
  /** Connections that are open now, of clients and to upstreams. */
  readonly open: number;
  readonly acceptFaults: number;
  /** When descriptors, ports or memory last lacked for a connection, milliseconds of `performance.now()`; -Infinity: never. */
  readonly exhaustedAt: number;
}

export interface DataPlane {
  /** Rejects with an error that has a `code` when the endpoint cannot be had. */
  readonly listen: (endpoint: Endpoint, handlers: ListenHandlers) => Promise<Listener>;
  readonly connect: (endpoint: Endpoint, timeoutMs: number) => Promise<ConnectOutcome>;
  /** Joins two connections of this plane; bytes that were peeked go first. */
  readonly relay: (client: Connection, upstream: Connection, hooks: RelayHooks) => Relay;
  readonly counters: () => PlaneCounters;
}
