/** Requests a reload from a running daemon. */
import { type RequestOptions, request } from 'node:http';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import { parseListen } from '../../contract/values/endpoint.ts';

export type ReloadResult =
  | { readonly ok: true; readonly changed: readonly string[]; readonly problems: readonly string[] }
  | {
      readonly ok: false;
      readonly message: string;
      readonly problems: readonly Pick<Problem, 'path' | 'message' | 'hint'>[];
    };

const timeoutMs = 60_000; // a configuration with long lists takes seconds to parse
const mostBytes = 1024 * 1024;

/** Prefers the socket, which needs no token. Uses localhost for an API that listens on all addresses. */
function addressOf({ api: { listen, socket } }: Daemon): RequestOptions | undefined {
  if (socket !== '') return { socketPath: socket };
  const endpoint = parseListen(listen);
  if (!endpoint) return undefined;
  const isAny = ['', '0.0.0.0', '::'].includes(endpoint.host);
  return { host: isAny ? 'localhost' : endpoint.host, port: endpoint.port };
}

interface Received {
  readonly status: number;
  readonly body: string;
}

function send(options: RequestOptions): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, method: 'POST', path: '/reload', timeout: timeoutMs }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
        if (body.length > mostBytes) answer.destroy(new Error('the response is too long'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body })).on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
    outgoing.on('error', reject).end();
  });
}

interface Answer {
  readonly changed?: readonly string[];
  readonly problems?: readonly string[];
  readonly error?: { readonly code?: string; readonly message?: string; readonly problems?: readonly Problem[] };
}

/**
 * Tries the address and then each accepted name of the file as the Host header: the edit can have changed the names, and the
 * daemon decides by those in force. A refused one has no effect.
 */
async function sendAs(names: readonly string[], { headers, ...where }: RequestOptions): Promise<Received> {
  const hosts = names.map((name) => ({ host: name.replace('*', 'tcp-guard') }));
  let received = await send({ ...where, headers });
  for (const host of hosts) {
    if ((JSON.parse(received.body) as Answer).error?.code !== 'forbidden_host') break;
    received = await send({ ...where, headers: { ...headers, ...host } });
  }
  return received;
}

/** `config`: the address and the token of the API. */
export async function requestReload(config: Daemon): Promise<ReloadResult> {
  const where = addressOf(config);
  if (!where)
    return {
      ok: false,
      message: 'the configuration has no API: set api.listen or api.socket, or send SIGHUP',
      problems: [],
    };
  const { auth_token, allowed_hosts } = config.api;
  const headers = { 'content-type': 'application/json', ...(auth_token && { authorization: `Bearer ${auth_token}` }) };
  try {
    const { status, body } = await sendAs(allowed_hosts, { ...where, headers });
    const { changed, problems = [], error } = JSON.parse(body) as Answer;
    if (status === 200 && changed) return { ok: true, changed, problems };
    return {
      ok: false,
      message: error?.message ?? `the API returned status ${status}`,
      problems: error?.problems ?? [],
    };
  } catch (error) {
    return {
      ok: false,
      message: `cannot reach the API of the daemon: ${(error as Error).message}. Is tcp-guard running with this configuration?`,
      problems: [],
    };
  }
}
