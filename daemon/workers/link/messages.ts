/**
 * Messages between the coordinator and its workers. Workers relay and inspect bytes, and refuse listed clients. The
 * coordinator owns all shared state (bans, limits, failures, the audit, the API) and decides where it counts.
 */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { Problem } from '../../../contract/load/index.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type { Peer } from '../../address/client.ts';
import type { PolicyTexts } from '../../admission/policies.ts';
import type { AuditEvent } from '../../audit/event.ts';
import type { Failure } from '../../failures/tracker.ts';
import type { ThreatFeed } from '../../feed/feed.ts';
import type { KernelBansMode, KernelBansState } from '../../kernel-bans/index.ts';
import type { PlaneName } from '../../plane/choice.ts';
import type { Counts } from '../../stats/counts.ts';

/** What a worker has to have before its first message. */
export interface WorkerSettings {
  /** The size of the pool. */
  readonly workers: number;
  readonly plane: PlaneName;
  readonly kernelBans: KernelBansMode;
}

export type CapacityMessage =
  /** The worker may have `most` open connections without a request, of these services. */
  | { readonly kind: 'allowed'; readonly most: number; readonly services: readonly string[] }
  /** The limits that are reached: of all connections, and of services. */
  | { readonly kind: 'full'; readonly isFull: boolean; readonly services: readonly string[] };

/** The decisions of an address or network after a change. None: it has no more. */
export type PrefixDecisions = readonly [
  ip: string,
  ...decisions: readonly (readonly [type: string, origin: string, expiresAt: number])[],
];

export type ReplicaMessage =
  /** Null: permanent. */
  | { readonly kind: 'banned'; readonly ip: string; readonly expiresAt: number | null }
  | { readonly kind: 'unbanned'; readonly ip: string }
  | { readonly kind: 'decisions'; readonly changes: readonly PrefixDecisions[] };

/** The keys of clients whose logins fail. */
export interface FailingMessage {
  readonly kind: 'failing';
  readonly keys: readonly string[];
}

/** An accepted connection that waits for a verdict. */
export interface AdmissionRequest {
  readonly kind: 'admit';
  /** Chosen by the worker and used once. */
  readonly slot: number;
  /** The id of the listener and the name of the service, as of the configuration that the connection or its session was accepted under. */
  readonly at: string;
  readonly service: string;
  readonly ip: string;
  readonly port: number;
  /** The peer is a trusted proxy. Its PROXY header has not been read yet. */
  readonly isTrustedProxy: boolean;
  /** A data connection of FTP: see `Served`. */
  readonly isData: boolean;
}

/** A connection that a worker admitted without a request occupies a slot from now on. */
export interface Entered {
  readonly kind: 'entered';
  readonly slot: number;
  readonly service: string;
  readonly ip: string;
  readonly port: number;
}

/** An outcome for the usage metrics of the threat feed, and how often it was. */
export type Checked = readonly [outcome: Parameters<ThreatFeed['account']>[0], count: number];

/** What was added to the counts of a service. */
export type Added = Readonly<Omit<Counts, 'open'>>;

export type FromWorker =
  | AdmissionRequest
  | Entered
  /** The whole allowance is used. */
  | { readonly kind: 'spent' }
  /** The heartbeat. Every other message counts as one too. */
  | { readonly kind: 'beat' }
  /** A refused connection in a tarpit occupies a slot without a request. */
  | { readonly kind: 'held'; readonly slot: number }
  | { readonly kind: 'left'; readonly slot: number }
  /** A connection to a closed port, or to the port of a service that was just removed. The worker has ended it. */
  /** Undefined: the address of its client is not known. */
  | { readonly kind: 'probe'; readonly at: string; readonly peer?: Peer }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'event'; readonly event: AuditEvent }
  | { readonly kind: 'fault'; readonly message: string }
  | {
      readonly kind: 'counted';
      readonly services: Readonly<Record<string, Added>>;
      readonly checked: readonly Checked[];
      /** Open connections without a request, by service. */
      readonly own: Readonly<Record<string, number>>;
      /** Refused connections in the tarpit. */
      readonly held: number;
      /** Records dropped since the previous message. */
      readonly dropped: number;
    }
  | { readonly kind: 'kernel_bans'; readonly state: KernelBansState }
  /** A connection failed since the previous message because descriptors, ports or memory ran out. */
  | { readonly kind: 'exhausted' }
  /** Without problems, the order was carried out. */
  | { readonly kind: 'done'; readonly number: number; readonly problems: readonly Problem[] };

/** An order to a worker. A worker carries out one at a time and responds to each. */
export type Order =
  | { readonly kind: 'prepare'; readonly config: Daemon; readonly policies: PolicyTexts }
  | { readonly kind: 'adopt' }
  /** Drops the prepared configuration. */
  | { readonly kind: 'discard' }
  | { readonly kind: 'listen'; readonly at: string; readonly endpoint: Endpoint }
  | { readonly kind: 'unlisten'; readonly at: string }
  /** Ends the allowance. All `entered` precede `done`. */
  | { readonly kind: 'withdraw' }
  /** Releases refused connections that are held. */
  | { readonly kind: 'release' }
  /** Reports the current counts. `done` follows when all earlier messages have been handled. */
  | { readonly kind: 'settle' }
  /** The last order. */
  | { readonly kind: 'end' };

export type ToWorker =
  | ReplicaMessage
  | CapacityMessage
  | FailingMessage
  /** `isUnknown`: the service does not exist any more, and the worker accounts for the refusal. */
  | { readonly kind: 'verdict'; readonly slot: number; readonly refusal?: string; readonly isUnknown?: true }
  | { readonly kind: 'cut'; readonly slot: number; readonly reason: string }
  | { readonly kind: 'order'; readonly number: number; readonly order: Order };
