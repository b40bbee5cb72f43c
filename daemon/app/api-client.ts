/** Asks the API of the running daemon, for commands of `tcp-guard`. */
import { type RequestOptions, request } from 'node:http';
import * as z from 'zod/mini';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseListen } from '../../contract/values/endpoint.ts';
import { bytesWithin } from '../../platform/bounded.ts';
import { readable } from '../../platform/escape.ts';
import { responseTo } from '../../platform/response-to.ts';
import { version } from '../process/version.ts';
import { inTime } from '../time/timer.ts';

const timeoutMs = 60_000; // for all requests: parsing a configuration with long lists takes seconds
const mostBytes = 1024 * 1024;

/** Prefers the Unix socket, which needs no token. For an API that listens on all addresses, uses localhost. */
function addressOf({ listen, socket }: Daemon['api']): RequestOptions | undefined {
  if (socket !== '') return { socketPath: socket };
  const endpoint = parseListen(listen);
  if (!endpoint) return undefined;
  const isAny = ['', '0.0.0.0', '::'].includes(endpoint.host);
  return { host: isAny ? 'localhost' : endpoint.host, port: endpoint.port };
}

const Failure = z.object({
  code: z.string(),
  message: z.string(),
  problems: z.optional(
    z.array(
      z.object({
        path: z.string(),
        line: z.number(),
        column: z.number(),
        message: z.string(),
        hint: z.exactOptional(z.string()),
      }),
    ),
  ),
});

/** Its texts are safe for a terminal: another program may listen at the address of the API. */
export interface ApiResponse<Body> {
  readonly status: number;
  /** Undefined when the response is an error. */
  readonly body: Body | undefined;
  readonly error: z.output<typeof Failure> | undefined;
}

async function receive(options: RequestOptions): Promise<{ readonly status: number; readonly text: string }> {
  const response = await responseTo(request({ ...options, method: 'POST' }));
  const bytes = await bytesWithin(response, mostBytes);
  if (!bytes) throw new Error('the response is too long');
  return { status: response.statusCode ?? 0, text: bytes.toString('utf8') };
}

/** Rejects when the response does not have the form of the API. */
async function send<S extends z.ZodMiniType>(options: RequestOptions, schema: S): Promise<ApiResponse<z.output<S>>> {
  const { status, text } = await receive(options);
  try {
    const escaped = (_key: string, value: unknown) => (typeof value === 'string' ? readable(value) : value);
    const found = JSON.parse(text, escaped);
    if (status === 200) return { status, body: schema.parse(found), error: undefined };
    return { status, body: undefined, error: z.object({ error: Failure }).parse(found).error };
  } catch {
    throw new Error(`another program responds there, with status ${status}`);
  }
}

/**
 * Sends the request with the address as the Host header. While the daemon refuses the header, repeats the request with
 * the next allowed name of the file. The names in force may differ from the names in the file.
 */
async function sendAs<S extends z.ZodMiniType>(
  names: readonly string[],
  { headers, ...where }: RequestOptions,
  schema: S,
): Promise<ApiResponse<z.output<S>>> {
  const hosts = names.map((name) => ({ host: name.replace('*', 'tcp-guard') }));
  let received = await send({ ...where, headers }, schema);
  for (const host of hosts) {
    if (received.error?.code !== 'forbidden_host') break;
    received = await send({ ...where, headers: { ...headers, ...host } }, schema);
  }
  return received;
}

/**
 * Sends `POST` without a body. Returns undefined when the configuration has no API. `config`: has the address and the
 * token of the API. @throws Error when nothing of the API responds
 */
export async function postToApi<S extends z.ZodMiniType>(
  { api }: Daemon,
  path: string,
  schema: S,
): Promise<ApiResponse<z.output<S>> | undefined> {
  const where = addressOf(api);
  if (!where) return undefined;
  const headers = {
    'user-agent': `tcp-guard/${version} ${path.slice(1)}`,
    'content-type': 'application/json',
    ...(api.auth_token && { authorization: `Bearer ${api.auth_token}` }),
  };
  const end = new AbortController();
  const late = () => {
    throw new Error(`no response within ${timeoutMs / 1000} s`);
  };
  try {
    const response = sendAs(api.allowed_hosts, { ...where, path, headers, signal: end.signal }, schema);
    return await inTime(response, timeoutMs, late);
  } catch (error) {
    throw new Error(`cannot reach the API of the daemon: ${readable((error as Error).message)}`);
  } finally {
    end.abort();
  }
}
