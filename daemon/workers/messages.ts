/**
 * What the first process and its workers tell each other. Workers move bytes and read along; whatever is shared (bans,
 * limits, failures, the audit, the API) is in the first process, which decides on every connection.
 */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Failure } from '../failures/tracker.ts';

/** A connection that was accepted and waits for a verdict. */
export interface AdmissionRequest {
  readonly kind: 'admit';
  /** Of the worker, and used once. */
  readonly slot: number;
  /** What it was accepted on: the id of a listener. */
  readonly at: string;
  readonly ip: string;
  readonly port: number;
  /** It is a neighbour, who has yet to say who its client is. */
  readonly isTrustedProxy: boolean;
}

/** What has been added to the counts of a service. */
export interface Added {
  readonly allowed: number;
  readonly blocked: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export type FromWorker =
  | AdmissionRequest
  /** The heartbeat; every other message counts as one too. */
  | { readonly kind: 'beat' }
  /** A place that is taken without asking, by a refused connection that is held. */
  | { readonly kind: 'held'; readonly slot: number }
  | { readonly kind: 'left'; readonly slot: number }
  /** A connection to a closed port, or to one of a service that was just removed; it has been ended. */
  | { readonly kind: 'probe'; readonly at: string; readonly ip: string; readonly port: number }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'event'; readonly event: AuditEvent }
  | { readonly kind: 'fault'; readonly message: string }
  | {
      readonly kind: 'counted';
      readonly services: Readonly<Record<string, Added>>;
      /** Refused connections that are held in the tarpit. */
      readonly held: number;
      /** Records that were dropped since the last time. */
      readonly dropped: number;
    }
  /** There were no descriptors, ports or memory for a connection since the last time. */
  | { readonly kind: 'exhausted' }
  /** No problems: the order was carried out. */
  | { readonly kind: 'done'; readonly number: number; readonly problems: readonly Problem[] };

/** What a worker is told to do; one after the other, each with an answer. */
export type Order =
  | { readonly kind: 'prepare'; readonly config: Daemon; readonly folder: string }
  | { readonly kind: 'adopt' }
  | { readonly kind: 'listen'; readonly at: string; readonly endpoint: Endpoint }
  | { readonly kind: 'unlisten'; readonly at: string }
  /** Lets go of refused connections that are held. */
  | { readonly kind: 'release' }
  /** Counts are brought up to now, and what came before it is done when it is. */
  | { readonly kind: 'settle' }
  /** The last. */
  | { readonly kind: 'end' };

export type ToWorker =
  | { readonly kind: 'verdict'; readonly slot: number; readonly refusal?: string }
  | { readonly kind: 'cut'; readonly slot: number; readonly reason: string }
  | { readonly kind: 'order'; readonly number: number; readonly order: Order };
