import { type RequestOptions, request } from 'node:http';
import * as z from 'zod/mini';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import { parseListen } from '../../contract/values/endpoint.ts';
import { readable } from '../../platform/escape.ts';
import { version } from '../process/version.ts';
import { inTime } from '../time/timer.ts';

/** The result of a reload. Its texts are safe for a terminal: another program may listen at the address of the API. */
export type ReloadResult =
  | { readonly ok: true; readonly changed: readonly string[]; readonly problems: readonly string[] }
  | {
      readonly ok: false;
      readonly message: string;
      readonly problems: readonly Omit<Problem, 'kind'>[];
    };

const timeoutMs = 60_000; // for all requests: parsing a configuration with long lists takes seconds
const mostBytes = 1024 * 1024;

/** Prefers the Unix socket, which needs no token. For an API that listens on all addresses, uses localhost. */
function addressOf({ api: { listen, socket } }: Daemon): RequestOptions | undefined {
  if (socket !== '') return { socketPath: socket };
  const endpoint = parseListen(listen);
  if (!endpoint) return undefined;
  const isAny = ['', '0.0.0.0', '::'].includes(endpoint.host);
  return { host: isAny ? 'localhost' : endpoint.host, port: endpoint.port };
}

const Answer = z.object({
  changed: z.optional(z.array(z.string())),
  problems: z.optional(z.array(z.string())),
  error: z.optional(
    z.object({
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
    }),
  ),
});

function receive(options: RequestOptions): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, method: 'POST', path: '/reload' }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
        if (body.length > mostBytes) answer.destroy(new Error('the response is too long'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body })).on('error', reject);
    });
    outgoing.on('error', reject).end();
  });
}

type ReadResponse = z.infer<typeof Answer> & { readonly status: number };

/** Sends `POST /reload`. Rejects when the response does not have the form of the API. */
async function send(options: RequestOptions): Promise<ReadResponse> {
  const { status, body } = await receive(options);
  try {
    const escaped = (_key: string, value: unknown) => (typeof value === 'string' ? readable(value) : value);
    return { status, ...Answer.parse(JSON.parse(body, escaped)) };
  } catch {
    throw new Error(`another program responds there, with status ${status}`);
  }
}

/**
 * Sends the request with the address as the Host header. While the daemon refuses the header, repeats the request with
 * the next allowed name of the file. The names in force may differ from the names in the file.
 */
async function sendAs(names: readonly string[], { headers, ...where }: RequestOptions): Promise<ReadResponse> {
  const hosts = names.map((name) => ({ host: name.replace('*', 'tcp-guard') }));
  let received = await send({ ...where, headers });
  for (const host of hosts) {
    if (received.error?.code !== 'forbidden_host') break;
    received = await send({ ...where, headers: { ...headers, ...host } });
  }
  return received;
}

/** Makes the running daemon reload. `config`: has the address and the token of its API. */
export async function requestReload(config: Daemon): Promise<ReloadResult> {
  const where = addressOf(config);
  if (!where)
    return {
      ok: false,
      message: 'the configuration has no API: set api.listen or api.socket, or send SIGHUP',
      problems: [],
    };
  const { auth_token, allowed_hosts } = config.api;
  const headers = {
    'user-agent': `tcp-guard/${version} reload`,
    'content-type': 'application/json',
    ...(auth_token && { authorization: `Bearer ${auth_token}` }),
  };
  const end = new AbortController();
  const late = () => {
    throw new Error(`no response within ${timeoutMs / 1000} s`);
  };
  try {
    const response = sendAs(allowed_hosts, { ...where, headers, signal: end.signal });
    const { status, changed, problems = [], error } = await inTime(response, timeoutMs, late);
    if (status === 200 && changed) return { ok: true, changed, problems };
    return {
      ok: false,
      message: error?.message ?? `the API returned status ${status}`,
      problems: error?.problems ?? [],
    };
  } catch (error) {
    return {
      ok: false,
      message: `cannot reach the API of the daemon: ${readable((error as Error).message)}. Is tcp-guard running with this configuration?`,
      problems: [],
    };
  } finally {
    end.abort();
  }
}
