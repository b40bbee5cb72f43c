/** Asks a running daemon to read its configuration again. */
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

const timeoutMs = 60_000; // a configuration with long lists takes seconds to read
const mostBytes = 1024 * 1024;

/** The socket where there is one: it needs no token. An API that listens everywhere is asked on this machine. */
function addressOf({ api: { listen, socket } }: Daemon): RequestOptions | undefined {
  if (socket !== '') return { socketPath: socket };
  const endpoint = parseListen(listen);
  if (!endpoint) return undefined;
  const isAny = ['', '0.0.0.0', '::'].includes(endpoint.host);
  return { host: isAny ? 'localhost' : endpoint.host, port: endpoint.port };
}

function send(options: RequestOptions): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, method: 'POST', path: '/reload', timeout: timeoutMs }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
        if (body.length > mostBytes) answer.destroy(new Error('the answer is too long'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body })).on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', reject).end();
  });
}

interface Answer {
  readonly changed?: readonly string[];
  readonly problems?: readonly string[];
  readonly error?: { readonly message?: string; readonly problems?: readonly Problem[] };
}

/** `config`: where the API is and what its token is. */
export async function requestReload(config: Daemon): Promise<ReloadResult> {
  const where = addressOf(config);
  if (!where) return { ok: false, message: 'the configuration has no API to ask', problems: [] };
  const { auth_token } = config.api;
  const headers = { 'content-type': 'application/json', ...(auth_token && { authorization: `Bearer ${auth_token}` }) };
  try {
    const { status, body } = await send({ ...where, headers });
    const { changed, problems = [], error } = JSON.parse(body) as Answer;
    if (status === 200 && changed) return { ok: true, changed, problems };
    return { ok: false, message: error?.message ?? `the API answered ${status}`, problems: error?.problems ?? [] };
  } catch (error) {
    return { ok: false, message: `the daemon cannot be asked: ${(error as Error).message}`, problems: [] };
  }
}
