/**
 * An inspector parses one protocol while bytes are relayed. It never throws, never changes its input, and buffers at most
 * `limits.inspectorPendingBytes` of each side. Only FTP in passive mode holds bytes back and replaces them.
 */

import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Guard } from '../../engine/index.ts';

export type Side = 'client' | 'server';
export type ServiceConfig = Daemon['services'][string];

/** What an inspector reports about the bytes of a connection. */
export type InspectorEvent =
  /** An attribute of the connection, such as `sni`, `version`, `user` or `ja4`. Values are raw: escape them before printing. */
  | { readonly kind: 'fact'; readonly name: string; readonly value: string }
  /** The server's reply to a login. `probable`: inferred from the shape of the session (docs/inspectors.md). */
  | {
      readonly kind: 'login';
      readonly outcome: 'success' | 'failure';
      readonly user?: string;
      readonly confidence?: 'probable';
    }
  /** Bytes that violate the protocol. The connection is ended. */
  | { readonly kind: 'violation'; readonly reason: string }
  /** Bytes that the configuration of the service denies. The connection is ended. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** The following bytes cannot be read: STARTTLS, key exchange, compression. */
  | { readonly kind: 'opaque'; readonly why: string }
  /** These bytes are relayed in place of the chunk. */
  | { readonly kind: 'instead'; readonly bytes: Uint8Array };

/** One connection. */
export interface InspectorSession {
  /** Takes bytes of one side in order, in chunks of any size, before they are relayed. Those that `unseen` announces are left out. */
  readonly take: (side: Side, chunk: Uint8Array) => readonly InspectorEvent[];
  /**
   * The number of bytes that follow on this side and that the caller must not take: 0, or Infinity for all. Called at most once
   * after each chunk. Only content whose length the protocol announces can pass unseen. What a line ends, such as mail after
   * SMTP DATA or POP3 RETR, has to be searched for its end.
   */
  readonly unseen: (side: Side) => number;
  /** The connection has ended. Returns events inferred from its shape. */
  readonly end: (shape: SessionShape) => readonly InspectorEvent[];
  /** Whether the client has begun with TLS and the server has not answered. Absent: the protocol has no such state. */
  readonly awaitsTls?: () => boolean;
  /** Whether the inspection has ended, so that bytes are relayed without it. */
  readonly isDone: () => boolean;
}

export interface SessionShape {
  readonly durationMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Where a server waits for a data connection. */
export interface DataEndpoint {
  /** The IPv4 address that it announces. Undefined: it announces only a port. */
  readonly host: string | undefined;
  readonly port: number;
}

/** The data port that a client gets: with an IPv4 address where the server announced one. */
export type DataPort =
  | { readonly ok: true; readonly host: string; readonly port: number }
  | { readonly ok: false; readonly why: string };

export interface InspectorContext {
  readonly service: ServiceConfig;
  /** Address of the client in canonical text. */
  readonly client: string;
  /** The compiled policy of an http service. Undefined: none. */
  readonly guard: Guard | undefined;
  /** Listens for a data connection of the client, which is relayed to the announced endpoint. Absent: replies pass unchanged. */
  readonly openDataPort?: (announced: DataEndpoint) => DataPort;
}

export interface Inspector {
  /**
   * Whether the first bytes of the client suffice to connect to the upstream. The first `known` of them did not. Absent:
   * the server sends first, and the upstream is connected at once.
   */
  readonly isEnough?: (first: Uint8Array, known: number) => boolean;
  readonly open: (context: InspectorContext) => InspectorSession;
}
