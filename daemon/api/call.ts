/** A request that passed access control, as routes see it. */
import type * as z from 'zod/mini';
import type { OperationName, operations } from '../../contract/api/operations.ts';
import type { Answer, StreamAnswer } from './answer.ts';
import type { DaemonControl } from './daemon-control.ts';
import type { EventHub } from './events/hub.ts';

/** The state that routes use. */
export interface ApiContext {
  readonly control: DaemonControl;
  readonly hub: EventHub;
  /** Whether a token is configured. */
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
  /** Whether the client may see more than the status: it has the token, or no token is configured. */
  readonly isTrusted: boolean;
  /** The address and the User-Agent of the client, bounded and escaped, for the log. */
  readonly caller: string;
  readonly isHead: boolean;
  /** The Last-Event-ID header. Empty when absent. */
  readonly lastEventId: string;
}

type Result = Answer | StreamAnswer;

/**
 * Implements an operation of contract/api/operations.ts.
 * @throws ApiFailure
 */
export type Route<Name extends OperationName> = (
  context: ApiContext,
  call: Call<QueryOf<Name>, BodyOf<Name>>,
) => Result | Promise<Result>;

/** A route of any operation. The dispatcher has validated query and body with the operation's schemas. */
export type AnyRoute = (context: ApiContext, call: Call<never, never>) => Result | Promise<Result>;
