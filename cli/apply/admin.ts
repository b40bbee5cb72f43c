/** Client for the admin API of a running Caddy. */

import { type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { textWithin } from '../../platform/bounded.ts';
import { ExternalError } from '../../platform/errors.ts';
import { responseTo } from '../../platform/response-to.ts';
import { connectionReasons } from '../program/connection-reasons.ts';
import { type AdminAddress, addressText } from './address.ts';

/**
 * Maximum attempts of `get`, and milliseconds between them. Connections fail while Caddy reloads, because a reload
 * replaces the admin server.
 */
const [reloadAttempts, reloadWaitMs] = [50, 100];

/**
 * Timeout of a request in milliseconds. Caddy has none: a change reloads Caddy, which waits for its modules without a
 * limit.
 */
const timeoutMs = 60_000;
/** Maximum bytes of a response. A configuration of ten thousand sites has about 10 MB. */
const longestResponse = 64 * 1024 * 1024;

/** Maximum nesting of a response. The functions that read it recurse; a subroute of Caddy adds four levels. */
const deepestResponse = 1000;

export interface AdminResponse {
  readonly status: number;
  readonly etag: string | undefined;
  /** Parsed JSON. A string when the body is not JSON; undefined when there is no body. */
  readonly body: unknown;
}

export interface Admin {
  readonly get: (path: string) => Promise<AdminResponse>;
  /** Replaces the value at `path`. With an ETag, Caddy responds with 412 when the configuration has changed since. */
  readonly patch: (path: string, value: unknown, etag: string | undefined) => Promise<AdminResponse>;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function optionsOf(address: AdminAddress, { method, path, headers }: Call, signal: AbortSignal): RequestOptions {
  const common = { method, path, headers: { ...headers, 'Content-Type': 'application/json' }, signal };
  // Caddy checks the Host header. On a Unix socket it accepts any host.
  if (address.kind === 'unix') return { ...common, socketPath: address.path, host: 'localhost' };
  const { protocol, hostname, port } = address.origin;
  return { ...common, protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

function parseBody(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * True when a value nests deeper than `most`. Visits level by level, because a recursive function would overflow the
 * stack.
 */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

function tooDeepError(address: AdminAddress): ExternalError {
  return new ExternalError(`the response of ${addressText(address)} nests deeper than ${deepestResponse} levels`, {
    code: 'admin_refused',
    hint: 'pass the address of the admin API of a Caddy',
    failed: { tool: 'caddy' },
  });
}

async function send(address: AdminAddress, call: Call, signal: AbortSignal): Promise<AdminResponse> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const requestFunction = address.kind === 'http' && address.origin.protocol === 'https:' ? secureRequest : request;
  const response = await responseTo(requestFunction(optionsOf(address, call, bounded)), call.body);
  const body = parseBody(await textWithin(response, longestResponse));
  return { status: response.statusCode ?? 0, etag: response.headers.etag, body };
}

export function messageOf({ status, body }: AdminResponse): string {
  const errorText = (body as { error?: unknown } | undefined)?.error;
  return `status ${status}${typeof errorText === 'string' ? `: ${errorText}` : ''}`;
}

/** Error code for the timeout of this client. `get` does not repeat such a request. */
const timeoutCode = 'admin_silent';

function unreachableError(address: AdminAddress, cause: NodeJS.ErrnoException): ExternalError {
  const isTimeout = cause.name === 'AbortError' || cause.name === 'TimeoutError';
  const reason = isTimeout
    ? `no response in ${timeoutMs / 1000} s`
    : (connectionReasons[cause.code ?? ''] ?? cause.message);
  return new ExternalError(`no Caddy responds at ${addressText(address)}: ${reason}`, {
    code: isTimeout ? timeoutCode : 'admin_unreachable',
    hint: 'start Caddy, or pass the address of its `admin` option',
    cause,
    failed: { tool: 'caddy' },
  });
}

/** True when Caddy received nothing, because no connection was made. */
export const isUnsent = ({ cause }: Error): boolean =>
  ((cause as NodeJS.ErrnoException | undefined)?.code ?? '') in connectionReasons;

/** True when the server closed an accepted connection, as Caddy does while it reloads. */
const isReset = ({ cause }: ExternalError): boolean =>
  (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';

export function openAdmin(address: AdminAddress, signal: AbortSignal): Admin {
  const call = async (one: Call): Promise<AdminResponse> => {
    const answer = await send(address, one, signal).catch((error: NodeJS.ErrnoException) => {
      signal.throwIfAborted();
      throw unreachableError(address, error);
    });
    if (isDeeper(answer.body, deepestResponse)) throw tooDeepError(address);
    return answer;
  };
  let isChanged = false;
  return {
    get: async (path) => {
      for (let tries = 1; ; tries += 1) {
        const answer = await call({ method: 'GET', path }).catch((error: ExternalError) => {
          // After a change, Caddy may be reloading. Before the first one, a refused connection means that it is not running.
          const mayReload = !signal.aborted && error.code !== timeoutCode && (isChanged || isReset(error));
          if (tries === reloadAttempts || !mayReload) throw error;
        });
        if (answer) return answer;
        await sleep(reloadWaitMs, undefined, { signal });
      }
    },
    patch: (path, value, etag) => {
      isChanged = true;
      const headers = etag === undefined ? {} : { 'If-Match': etag };
      return call({ method: 'PATCH', path, body: JSON.stringify(value), headers });
    },
  };
}
