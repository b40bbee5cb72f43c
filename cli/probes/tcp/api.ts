/** Sends requests to the management API with any headers. */
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Token of the request. Absent: the valid one. Null: none. */
  readonly token?: string | null;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Api {
  readonly ask: (wanted: ApiRequest) => Promise<ApiAnswer>;
  readonly post: (path: string, value: unknown) => Promise<ApiAnswer>;
  /** Passes chunks of the event stream to `onText` until the returned function is called. */
  readonly follow: (onText: (text: string) => void) => Promise<() => void>;
}

export function createApi(port: number, token: string, patienceMs: number): Api {
  const open = ({ method = 'GET', path, headers = {}, body, token: own = token }: ApiRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const authorization = own === null ? {} : { authorization: `Bearer ${own}` };
      // With `close` the server resets the connection after it refused a body, and the response can be lost.
      const connection = 'keep-alive';
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, method, path, agent: false },
          headers: { connection, ...authorization, ...headers },
        },
        resolve,
      );
      sent.setTimeout(patienceMs, () => sent.destroy(new Error(`the API did not respond to ${method} ${path}`)));
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
    follow: async (onText) => {
      const answer = await open({ path: '/events' });
      answer
        .setEncoding('utf8')
        .on('data', onText)
        .on('error', () => {});
      return () => void answer.destroy();
    },
  };
}
