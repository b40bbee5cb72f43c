/** Runs the checks of a request, then its route. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../../contract/api/operation.ts';
import { type OperationName, operations } from '../../contract/api/operations.ts';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { printable } from '../../platform/escape.ts';
import type { Access } from './access.ts';
import { failureAnswer, sendAnswer } from './answer.ts';
import { hasBody, readBody } from './body.ts';
import type { AnyRoute, ApiContext, Call } from './call.ts';
import type { IsReserved } from './connection-limit.ts';
import { ApiFailure, tooManyRequests } from './failure.ts';
import { readQuery } from './query.ts';
import type { createRates } from './rate.ts';
import { routes } from './routes/index.ts';
import type { createPace, createTurns } from './turns.ts';

export interface Dispatch extends ApiContext {
  /** The current access control. A reload replaces it. */
  readonly access: () => Access;
  readonly checkRate: ReturnType<typeof createRates>;
  /** Resolves when the earlier responses of the connection were sent. */
  readonly turn: ReturnType<typeof createTurns>;
  readonly pace: ReturnType<typeof createPace>;
}

interface Endpoint {
  readonly operation: Operation;
  readonly route: AnyRoute;
  readonly isSlow: boolean;
}

/**
 * Operations that read every ban, which takes milliseconds for 100,000 bans. One runs in each turn of the event loop:
 * many in one turn would delay all connections for seconds.
 */
const slowOperations: ReadonlySet<string> = new Set<OperationName>(['banlist']);

/** Each operation at the root and under /api. */
const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(operations).flatMap(([name, operation]) =>
    ['', '/api'].map((prefix): [string, Endpoint] => [
      `${prefix}${operation.path}`,
      { operation, route: routes[name as OperationName] as AnyRoute, isSlow: slowOperations.has(name) },
    ]),
  ),
);

/** Refuses requests that Node's parser accepts, but that other servers refuse or interpret differently. */
function checkForm({ url = '', rawHeaders, headers: { expect }, httpVersion }: IncomingMessage): void {
  if (!url.startsWith('/')) throw new ApiFailure('bad_request', 'the target is not a path');
  if (rawHeaders.length / 2 > daemonBounds.apiHeaders) throw new ApiFailure('headers_too_large');
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new ApiFailure('bad_request', 'there is more than one Host header');
  if (hosts.length === 0 && httpVersion === '1.1') throw new ApiFailure('bad_request', 'there is no Host header');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw new ApiFailure('expectation_failed');
}

function checkMethod({ method = '' }: IncomingMessage, operation: Operation): void {
  const allowed = operation.method === 'GET' ? ['GET', 'HEAD'] : ['POST'];
  if (!allowed.includes(method))
    throw new ApiFailure('method_not_allowed', undefined, { headers: { Allow: allowed.join(', ') } });
}

const unauthorizedFailure = () =>
  new ApiFailure('unauthorized', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } });

/** Characters of a User-Agent in the log. */
const mostAgentCharacters = 64;

function callerOf({ socket, headers }: IncomingMessage, isTcp: boolean): string {
  const where = isTcp ? `${socket.remoteAddress}` : 'the Unix socket';
  const agent = headers['user-agent'];
  return agent ? `${where} (${printable(agent.slice(0, mostAgentCharacters))})` : where;
}

async function callOf(
  request: IncomingMessage,
  { query, body }: Operation,
  search: string,
): Promise<Omit<Call, 'isTrusted' | 'caller'>> {
  const lastEventId = request.headers['last-event-id'];
  const asked = {
    query: readQuery(search, query),
    isHead: request.method === 'HEAD',
    lastEventId: `${lastEventId ?? ''}`,
  };
  if (body) return { ...asked, body: await readBody(request, body) };
  if (hasBody(request)) throw new ApiFailure('too_large', 'this operation takes no body');
  return { ...asked, body: undefined };
}

/** The key of the request rate: one for the Unix socket, one for trusted clients over TCP, otherwise the address. */
function rateKey(request: IncomingMessage, access: Access, isTcp: boolean): string {
  if (!isTcp) return 'socket';
  return access.hasToken(request) && !access.isForeign(request) ? 'tcp' : `${request.socket.remoteAddress}`;
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: Dispatch,
  isReserved: IsReserved,
  isTcp: boolean,
): Promise<void> {
  checkForm(request);
  context.checkRate(request.socket, rateKey(request, context.access(), isTcp));
  await context.turn(request, response);
  const [path = '', ...search] = (request.url ?? '').split('?');
  const endpoint = endpoints.get(path);
  if (endpoint?.isSlow) await context.pace();
  if (request.socket.destroyed) return;
  const access = context.access();
  if (isTcp) access.checkOrigin(request);
  const isTrusted = !isTcp || access.hasToken(request);
  if (!isTrusted && !endpoint?.operation.isPublic) throw unauthorizedFailure();
  if (!endpoint) throw new ApiFailure('not_found');
  if (isReserved(request.socket) && !endpoint.operation.isPublic)
    throw tooManyRequests('all connections are in use, and this one is for health checks');
  checkMethod(request, endpoint.operation);
  const call = await callOf(request, endpoint.operation, search.join('?'));
  const result = await endpoint.route(context, { ...call, isTrusted, caller: callerOf(request, isTcp) } as Call<
    never,
    never
  >);
  if ('stream' in result) result.stream(response);
  else sendAnswer(response, result);
}

/** Returns the request handler. `isTcp`: requests come over the network. */
export function createDispatcher(
  context: Dispatch,
  isReserved: IsReserved,
  isTcp: boolean,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answerRequest(request, response, context, isReserved, isTcp).catch((error: unknown) => {
      const failure = error instanceof ApiFailure ? error : new ApiFailure('internal');
      if (failure !== error) context.control.audit.fault(`API: ${(error as Error).stack ?? error}`);
      if (response.headersSent) response.destroy();
      else sendAnswer(response, failureAnswer(failure));
    });
  };
}
