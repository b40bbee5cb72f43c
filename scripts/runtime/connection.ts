/** HTTP requests of the set-up to the container runtime, before any package is installed. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Endpoint } from '../../cli/sandbox/locate.ts';
import { routeOf } from '../../cli/sandbox/route.ts';

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** A tar stream. */
  readonly body?: Readable;
  readonly signal: AbortSignal;
}

function open(endpoint: Endpoint, { method, path, signal }: EngineRequest): ClientRequest {
  const route = routeOf(endpoint);
  const request = route.protocol === 'https:' ? tlsRequest : plainRequest;
  const headers = { host: 'localhost', 'content-type': 'application/x-tar' };
  return request({ ...route, method, path, signal, headers });
}

/** The response with an unread body. Throws on an error status. */
export async function ask(endpoint: Endpoint, wanted: EngineRequest): Promise<IncomingMessage> {
  const request = open(endpoint, wanted);
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  if (wanted.body) await Promise.race([pipeline(wanted.body, request), answered]);
  else request.end();
  const [response] = await answered;
  if ((response.statusCode ?? 0) < 300) return response;
  throw new Error(`the container runtime returned ${response.statusCode}: ${(await text(response)).trim()}`);
}
