/**
 * Messages between the coordinator and its workers. Workers relay and inspect bytes. The coordinator makes the
 * decisions that depend on shared state.
 */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { Problem } from '../../../contract/load/index.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type { Peer } from '../../address/client.ts';
import type { PolicyTexts } from '../../admission/policies.ts';
import type { Failure } from '../../failures/tracker.ts';
import type { ThreatFeed } from '../../feed/feed.ts';
import type { LoginOutcome } from '../../logins/places.ts';
import type { PlaneName } from '../../plane/choice.ts';
import type { Counts } from '../../stats/counts.ts';
import type { RecordsMessage } from './records.ts';

/** Settings that a worker gets at its start, before its first message. */
export interface WorkerSettings {
  readonly workers: number;
  readonly plane: PlaneName;
}

export type CapacityMessage =
  /** The worker may admit up to `most` open connections of these services without the coordinator. */
  | { readonly kind: 'allowed'; readonly most: number; readonly services: readonly string[] }
  /** Limits that are reached: of all connections, and of services. */
  | { readonly kind: 'full'; readonly isFull: boolean; readonly services: readonly string[] };

/** The decisions on an address or network after a change. Empty when none is left. */
export type PrefixDecisions = readonly [
  ip: string,
  ...decisions: readonly (readonly [type: string, origin: string, expiresAt: number])[],
];

export type ReplicaMessage =
  /** `expiresAt` null: permanent. */
  | { readonly kind: 'banned'; readonly ip: string; readonly expiresAt: number | null }
  | { readonly kind: 'unbanned'; readonly ip: string }
  | { readonly kind: 'decisions'; readonly changes: readonly PrefixDecisions[] };

/** The keys of clients whose logins failed. */
export interface FailingMessage {
  readonly kind: 'failing';
  readonly keys: readonly string[];
}

/** The coordinator counts the connections of these clients, or no longer of this one: see coordinator/counted-clients.ts. */
export type CountedMessage =
  | { readonly kind: 'counted'; readonly keys: readonly string[] }
  | { readonly kind: 'uncounted'; readonly key: string };

/** An accepted connection that waits for a verdict. */
export interface AdmissionRequest {
  readonly kind: 'admit';
  /** A number that the worker chooses and uses once. */
  readonly slot: number;
  /**
   * The id of the listener and the name of the service in the configuration that accepted the connection or its FTP
   * session.
   */
  readonly listenerId: string;
  readonly service: string;
  readonly ip: string;
  readonly port: number;
  /** Whether the peer is a trusted proxy whose PROXY header was not read yet. */
  readonly isTrustedProxy: boolean;
  /** Whether it is a data connection of FTP: see `Served`. */
  readonly isData: boolean;
}

/** A connection that the worker admitted itself occupies a slot from now on. */
interface EnteredMessage {
  readonly kind: 'entered';
  readonly slot: number;
  readonly service: string;
  readonly ip: string;
  readonly port: number;
}

/** An outcome for the usage metrics of the threat feed, and how often it occurred. */
export type CheckedOutcome = readonly [outcome: Parameters<ThreatFeed['account']>[0], count: number];

/** The counts of a service since the previous message. */
export type AddedCounts = Readonly<Omit<Counts, 'open'>>;

/** A login of a failing client that requests a place, or occupies one because it is judged already (`isJudged`). */
export interface LoginMessage {
  readonly kind: 'login';
  /** A number that the worker chooses and uses once. */
  readonly number: number;
  readonly ip: string;
  readonly port: number;
  readonly service: string;
  readonly user?: string;
  readonly most: number;
  readonly windowMs: number;
  readonly isJudged: boolean;
}

export type FromWorker =
  | AdmissionRequest
  | LoginMessage
  /** The login has an outcome, or no longer needs a place. */
  | { readonly kind: 'login_ended'; readonly number: number; readonly outcome?: LoginOutcome }
  | EnteredMessage
  /** The worker has used its whole allowance, of this many connections. */
  | { readonly kind: 'spent'; readonly used: number }
  /** The heartbeat. Every other message counts as one too. */
  | { readonly kind: 'beat' }
  /** A refused connection is in the tarpit and occupies a slot. */
  | { readonly kind: 'held'; readonly slot: number }
  | { readonly kind: 'left'; readonly slot: number }
  /** A connection to a port without a service, which the worker has ended. `peer` is absent without an address. */
  | { readonly kind: 'probe'; readonly listenerId: string; readonly peer?: Peer }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | RecordsMessage
  | { readonly kind: 'fault'; readonly message: string }
  | {
      readonly kind: 'counted';
      readonly services: Readonly<Record<string, AddedCounts>>;
      readonly checked: readonly CheckedOutcome[];
      /** The number of open connections of which the coordinator has no record, by service. */
      readonly admittedCounts: Readonly<Record<string, number>>;
      /** The number of refused connections in the tarpit. */
      readonly tarpitCount: number;
      /** The number of records that were dropped since the previous message. */
      readonly dropped: number;
    }
  /** Since the previous message, a connection failed for lack of descriptors, ports or memory. */
  | { readonly kind: 'exhausted' }
  /** The order was carried out unless there are problems. */
  | { readonly kind: 'done'; readonly number: number; readonly problems: readonly Problem[] };

/** A worker carries out orders one by one and responds to each. */
export type Order =
  | { readonly kind: 'prepare'; readonly config: Daemon; readonly policies: PolicyTexts }
  | { readonly kind: 'adopt' }
  /** Drops the prepared configuration. */
  | { readonly kind: 'discard' }
  | { readonly kind: 'listen'; readonly listenerId: string; readonly endpoint: Endpoint }
  | { readonly kind: 'unlisten'; readonly listenerId: string }
  /**
   * Withdraws the allowance. The worker sends `entered` for each open connection that it admitted without the
   * coordinator, then `done`.
   */
  | { readonly kind: 'withdraw' }
  /** Releases the connections in the tarpit. */
  | { readonly kind: 'release' }
  /** Reports the counts. `done` follows after all earlier messages. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'end' };

export type ToWorker =
  /** The key of fingerprints, in base64. The first message: arguments and variables of processes are visible. */
  | { readonly kind: 'fingerprint_key'; readonly key: string }
  | ReplicaMessage
  | CapacityMessage
  | FailingMessage
  | CountedMessage
  /** `isUnknown`: the service no longer exists, so the worker accounts for the refusal. */
  | { readonly kind: 'verdict'; readonly slot: number; readonly refusal?: string; readonly isUnknown?: true }
  /** The login of a `LoginMessage` has a place. */
  | { readonly kind: 'place'; readonly number: number }
  | { readonly kind: 'cut'; readonly slot: number; readonly reason: string }
  | { readonly kind: 'order'; readonly number: number; readonly order: Order };
