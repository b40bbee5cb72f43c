/**
 * An inspector parses one protocol while bytes are relayed. It never throws, never changes its input, and buffers at
 * most `limits.inspectorPendingBytes` of each side. Only FTP in passive mode delays bytes and replaces them.
 */

import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Guard } from '../../engine/index.ts';

export type Side = 'client' | 'server';
export type ServiceConfig = Daemon['services'][string];

/** An event that an inspector reports about the bytes of a connection. */
export type InspectorEvent =
  /**
   * An attribute of the connection, such as `sni`, `version`, `user` or `ja4`. The value is raw: escape it before
   * printing.
   */
  | { readonly kind: 'fact'; readonly name: string; readonly value: string }
  /** The server's reply to a login. `probable`: inferred from the shape of the session (docs/inspectors.md). */
  | {
      readonly kind: 'login';
      readonly outcome: 'success' | 'failure';
      readonly user?: string;
      readonly confidence?: 'probable';
    }
  /** The bytes violate the protocol. The caller ends the connection. */
  | { readonly kind: 'violation'; readonly reason: string }
  /** The configuration of the service denies the bytes. The caller ends the connection. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** The following bytes cannot be read, because of STARTTLS, key exchange or compression. */
  | { readonly kind: 'opaque'; readonly why: string }
  /** The caller relays these bytes in place of the chunk. */
  | { readonly kind: 'instead'; readonly bytes: Uint8Array };

/** The inspection of one connection. */
export interface InspectorSession {
  /**
   * Inspects bytes of one side before they are relayed. Bytes come in order, in chunks of any size. Bytes that `unseen`
   * announces are left out.
   */
  readonly feed: (side: Side, chunk: Uint8Array) => readonly InspectorEvent[];
  /**
   * The number of following bytes of this side that must not be passed to the inspector: 0 for none, Infinity for all.
   * Call it at most once after each chunk. It only covers content whose length the protocol announces. Content that
   * ends with a line, such as mail after SMTP DATA or POP3 RETR, must be searched for its end.
   */
  readonly unseen: (side: Side) => number;
  /** Call it when the connection has ended. Returns the events that are inferred from the shape of the session. */
  readonly end: (shape: SessionShape) => readonly InspectorEvent[];
  /** Whether the client has started TLS and the server has not answered. Absent when the protocol has no such state. */
  readonly awaitsTls?: () => boolean;
  /** Whether the inspection has ended. Further bytes are relayed without it. */
  readonly isDone: () => boolean;
}

export interface SessionShape {
  readonly durationMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** The endpoint at which a server waits for a data connection. */
export interface DataEndpoint {
  /** The announced IPv4 address. Undefined when the server announces only a port. */
  readonly host: string | undefined;
  readonly port: number;
}

/** The data port for the client. The host is an IPv4 address if the server announced one. */
export type DataPort =
  | { readonly ok: true; readonly host: string; readonly port: number }
  | { readonly ok: false; readonly why: string };

export interface InspectorContext {
  readonly service: ServiceConfig;
  /** The address of the client in canonical text. */
  readonly client: string;
  /** The compiled policy of an http service. Undefined when it has none. */
  readonly guard: Guard | undefined;
  /**
   * Listens for a data connection of the client, which is relayed to the announced endpoint. When absent, replies are
   * not replaced.
   */
  readonly openDataPort?: (announced: DataEndpoint) => DataPort;
}

export interface Inspector {
  /**
   * Whether the first bytes of the client are enough to connect to the upstream. `known`: the number of leading bytes
   * for which the last call returned false. When absent, the server may send first, and the upstream is connected at
   * once.
   */
  readonly isEnough?: (first: Uint8Array, known: number) => boolean;
  readonly open: (context: InspectorContext) => InspectorSession;
}
