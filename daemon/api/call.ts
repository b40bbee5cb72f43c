import type * as z from 'zod/mini';
import type { OperationName, operations } from '../../contract/api/operations.ts';
import type { Answer, StreamAnswer } from './answer.ts';
import type { DaemonControl } from './daemon-control.ts';
import type { EventHub } from './events/hub.ts';

export interface ApiContext {
  readonly control: DaemonControl;
  readonly hub: EventHub;
  readonly needsToken: () => boolean;
  readonly now: () => number;
}

type QueryOf<Name extends OperationName> = (typeof operations)[Name] extends { query: infer S extends z.ZodMiniType }
  ? z.output<S>
  : unknown;
type BodyOf<Name extends OperationName> = (typeof operations)[Name] extends { body: infer S extends z.ZodMiniType }
  ? z.output<S>
  : undefined;

export interface Call<Query = unknown, Body = unknown> {
  readonly query: Query;
  readonly body: Body;
  /** Whether the client has the token. True on the Unix socket, and when no token is configured. */
  readonly isTrusted: boolean;
  /** For the log: the client's address or `the Unix socket`, and its User-Agent, bounded and escaped. */
  readonly caller: string;
  readonly isHead: boolean;
  /** The Last-Event-ID header. Empty when absent. */
  readonly lastEventId: string;
}

type Result = Answer | StreamAnswer;

/** Implements an operation. @throws ApiFailure */
export type Route<Name extends OperationName> = (
  context: ApiContext,
  call: Call<QueryOf<Name>, BodyOf<Name>>,
) => Result | Promise<Result>;

/** A route of any operation. The dispatcher has validated query and body. */
export type AnyRoute = (context: ApiContext, call: Call<never, never>) => Result | Promise<Result>;
