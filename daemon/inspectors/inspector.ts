/**
 * An inspector parses one protocol while bytes are relayed. It never throws. It buffers at most
 * `daemonBounds.inspectorPendingBytes` of an unfinished line or message of each side. The inspector of HTTP also
 * buffers the part of a body that the policy inspects. Bytes behind credentials wait, outside of the inspector. Only FTP
 * in passive mode delays bytes of the server and replaces them.
 */

import type { KeyObject } from 'node:crypto';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Guard } from '../../engine/index.ts';

export type Side = 'client' | 'server';
export type ServiceConfig = Daemon['services'][string];

export type InspectorEvent =
  /** An attribute of the connection, such as `sni`, `version`, `user` or `ja4`. The value is raw: escape it. */
  | { readonly kind: 'fact'; readonly name: string; readonly value: string }
  /** The server's reply to a login. `probable`: inferred from the shape of the session (docs/inspectors.md). */
  | {
      readonly kind: 'login';
      readonly outcome: 'success' | 'failure';
      readonly user?: string;
      /** A keyed hash of the user and the password. Absent when the password was not visible: see fingerprint.ts. */
      readonly fingerprint?: string;
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

/** Credentials that the server judges. */
export interface Attempt {
  /** The name that the client gave. Undefined when it cannot be read. */
  readonly user: string | undefined;
}

export interface LoginState {
  /** The credentials that the server judges now. Undefined while it judges none. */
  readonly attempt: () => Attempt | undefined;
  /** Whether further bytes of the client have to wait for the server. */
  readonly isHeld: () => boolean;
  /** The number of bytes at the end of the client's last chunk that were not inspected, because they have to wait. */
  readonly left: () => number;
  /** Ends the wait of a connection that has ended, so that the bytes that waited can be inspected for more logins. */
  readonly abandon: () => void;
}

export interface InspectorSession {
  /** Inspects bytes of one side, in order, before they are relayed. Bytes that `unseen` announces are left out. */
  readonly feed: (side: Side, chunk: Uint8Array) => readonly InspectorEvent[];
  /**
   * The number of following bytes of this side that must not be passed to the inspector. Infinity: all. Call it at most
   * once after each chunk. A finite number covers only content of an announced length.
   */
  readonly unseen: (side: Side) => number;
  /**
   * The wait of the client behind its credentials. While it is held, `feed` leaves the end of the client's chunk: the
   * caller passes it to `feed` again when the wait is over. Absent: the inspector sees no logins.
   */
  readonly login?: LoginState;
  /** The bytes that the inspector holds of the connection: unfinished messages, and commands without a reply. */
  readonly heldBytes: () => number;
  /** Call it when the connection has ended. Returns events that the shape of the session implies. */
  readonly end: (shape: SessionShape) => readonly InspectorEvent[];
  /** Whether the client has started TLS and the server has not answered. */
  readonly awaitsTls?: () => boolean;
  /** Whether the inspection has ended. Further bytes are relayed without it. */
  readonly isDone: () => boolean;
}

export interface SessionShape {
  readonly durationMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

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
  readonly guard: Guard | undefined;
  /** The key of fingerprints. Absent: logins have none. */
  readonly fingerprintKey?: KeyObject | undefined;
  /**
   * Listens for a data connection of the client, and relays it to the announced endpoint. Absent: replies are not
   * replaced.
   */
  readonly openDataPort?: ((announced: DataEndpoint) => DataPort) | undefined;
}

export interface Inspector {
  /**
   * Whether the first bytes of the client are enough to connect to the upstream. `checkedLength`: the number of leading
   * bytes for which the last call returned false. Absent: the upstream is connected immediately.
   */
  readonly isEnough?: (first: Uint8Array, checkedLength: number) => boolean;
  readonly open: (context: InspectorContext) => InspectorSession;
}
