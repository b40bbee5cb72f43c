/** Requests to the management API, with whatever headers a probe wants. */
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Absent: the right one. */
  readonly token?: string | null;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Api {
  readonly ask: (wanted: ApiRequest) => Promise<ApiAnswer>;
  /** Sends JSON. */
  readonly post: (path: string, value: unknown) => Promise<ApiAnswer>;
  /** The stream of events: calls `take` for what comes until it is closed. Resolves when it is open. */
  readonly follow: (take: (text: string) => void) => Promise<() => void>;
}

export function createApi(port: number, token: string, patienceMs: number): Api {
  const open = ({ method = 'GET', path, headers = {}, body, token: own = token }: ApiRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const authorization = own === null ? {} : { authorization: `Bearer ${own}` };
      const sent = request(
        { ...{ host: '127.0.0.1', port, method, path, agent: false }, headers: { ...authorization, ...headers } },
        resolve,
      );
      sent.setTimeout(patienceMs, () => sent.destroy(new Error(`the API did not answer ${method} ${path}`)));
      sent.on('error', reject).end(body);
    });
  const ask = async (wanted: ApiRequest): Promise<ApiAnswer> => {
    const answer = await open(wanted);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
  };
  return {
    ask,
    post: (path, value) => {
      const headers = { 'content-type': 'application/json' };
      return ask({ method: 'POST', path, headers, body: JSON.stringify(value) });
    },
    follow: async (take) => {
      const answer = await open({ path: '/events' });
      answer
        .setEncoding('utf8')
        .on('data', take)
        .on('error', () => {});
      return () => void answer.destroy();
    },
  };
}
