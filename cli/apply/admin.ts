/** The admin API of a running Caddy, as far as it is needed to change a part of its configuration. */

import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExternalError } from '../../platform/errors.ts';
import { type AdminAddress, addressText } from './address.ts';

/** A reload replaces the admin server too: for a moment its connections are refused or reset. */
const [reloadTries, reloadWaitMs] = [50, 100];

/** A reload waits for its modules; Caddy itself gives it no limit. */
const timeoutMs = 60_000;
/** Bytes of an answer: a configuration of ten thousand sites has about 10 MB. */
const longestAnswer = 64 * 1024 * 1024;

export interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  /** Parsed; undefined when there is no body, a string when it is no JSON. */
  readonly body: unknown;
}

export interface Admin {
  readonly get: (path: string) => Promise<Answer>;
  /** Replaces what stands at `path`, if the configuration is still the one of the ETag. */
  readonly patch: (path: string, value: unknown, etag: string | undefined) => Promise<Answer>;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function optionsOf(address: AdminAddress, { method, path, headers }: Call, signal: AbortSignal): RequestOptions {
  const common = { method, path, headers: { ...headers, 'Content-Type': 'application/json' }, signal };
  // Caddy checks the host of the request; on a socket any will do.
  if (address.kind === 'unix') return { ...common, socketPath: address.path, host: 'localhost' };
  const { protocol, hostname, port } = address.origin;
  return { ...common, protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > longestAnswer) throw new Error(`an answer of more than ${longestAnswer} bytes`);
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

async function send(address: AdminAddress, call: Call, signal: AbortSignal): Promise<Answer> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const ask = address.kind === 'http' && address.origin.protocol === 'https:' ? secureRequest : request;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    ask(optionsOf(address, call, bounded), resolve)
      .on('error', reject)
      .end(call.body);
  });
  const body = parsed(await textOf(response));
  return { status: response.statusCode ?? 0, etag: response.headers.etag, body };
}

/** What the API says of a failure: `{"error": "..."}`. */
export function messageOf({ status, body }: Answer): string {
  const said = (body as { error?: unknown } | undefined)?.error;
  return `status ${status}${typeof said === 'string' ? `: ${said}` : ''}`;
}

/** That our own time is over: a server that is silent for so long does not respond later either. */
const silent = 'admin_silent';

/** What the codes of the system say to people. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'there is no such host',
  EACCES: 'permission denied',
};

function unreachable(address: AdminAddress, cause: NodeJS.ErrnoException): ExternalError {
  const isSilent = cause.name === 'AbortError' || cause.name === 'TimeoutError';
  const reason = isSilent ? `no response in ${timeoutMs / 1000} s` : (reasons[cause.code ?? ''] ?? cause.message);
  return new ExternalError(`no Caddy answers at ${addressText(address)}: ${reason}`, {
    code: isSilent ? silent : 'admin_unreachable',
    hint: 'start Caddy, or give the address of its `admin` option',
    cause,
    failed: { tool: 'caddy' },
  });
}

/** Whether the server may be about to come back: it closed a connection that it had taken. */
const isReset = ({ cause }: ExternalError): boolean => (cause as NodeJS.ErrnoException).code === 'ECONNRESET';

export function openAdmin(address: AdminAddress, signal: AbortSignal): Admin {
  const call = async (one: Call): Promise<Answer> => {
    try {
      return await send(address, one, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(address, error as NodeJS.ErrnoException);
    }
  };
  let isChanged = false;
  return {
    get: async (path) => {
      for (let tries = 1; ; tries += 1) {
        const answer = await call({ method: 'GET', path }).catch((error: ExternalError) => {
          // Before a change of ours a refused connection means that no Caddy runs there.
          const mayReload = !signal.aborted && error.code !== silent && (isChanged || isReset(error));
          if (tries === reloadTries || !mayReload) throw error;
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
