/**
 * What an inspector is: a parser of one protocol that reads along while bytes are relayed. It never throws, never changes
 * or copies what it is shown, and keeps no more than `limits.inspectorPendingBytes` of each side.
 */

import type { Protocol } from '../../contract/daemon/protocols.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Guard } from '../../contract/engine/index.ts';

export type Side = 'client' | 'server';
export type ServiceConfig = Daemon['services'][string];

/** What the bytes of a connection told. */
export type InspectorEvent =
  /** Something to know of the connection, such as `sni`, `version`, `user`, `ja4`. Values are raw: escape them to print. */
  | { readonly kind: 'fact'; readonly name: string; readonly value: string }
  /** The server's own reply to a login. `probable`: a guess from the shape of the session (docs/inspectors.md). */
  | {
      readonly kind: 'login';
      readonly outcome: 'success' | 'failure';
      readonly user?: string;
      readonly confidence?: 'probable';
    }
  /** Bytes that no client or server of the protocol sends. The connection is ended. */
  | { readonly kind: 'violation'; readonly reason: string }
  /** Allowed by the protocol and not by the configuration of the service. The connection is ended. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** From here on nothing can be read: STARTTLS, key exchange, compression. */
  | { readonly kind: 'opaque'; readonly why: string };

/** One connection. */
export interface InspectorSession {
  /** Takes bytes of one side, in order, as large or small as they come, before they are relayed. */
  readonly take: (side: Side, chunk: Uint8Array) => readonly InspectorEvent[];
  /** The connection has ended; what its shape tells. */
  readonly end: (shape: SessionShape) => readonly InspectorEvent[];
  /** Whether nothing more can be learnt, so that bytes are relayed without a look. */
  readonly isDone: () => boolean;
}

export interface SessionShape {
  readonly durationMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface InspectorContext {
  readonly service: ServiceConfig;
  /** Address of the client, in canonical text. */
  readonly client: string;
  /** The policy of an http service, compiled; undefined when it has none. */
  readonly guard: Guard | undefined;
}

export interface Inspector {
  readonly protocol: Protocol;
  /** `server`: the upstream is connected at once. `client`: first bytes of the client are awaited and may refuse it. */
  readonly sendsFirst: Side;
  /** Whether the first bytes of the client that were seen are enough to connect to the upstream; of them, the first `known` were not. */
  readonly isEnough: (first: Uint8Array, known: number) => boolean;
  readonly open: (context: InspectorContext) => InspectorSession;
}
