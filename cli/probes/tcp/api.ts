/** Sends requests to the management API with any headers. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Token of the request. Absent: the valid one. Null: none. */
  readonly token?: string | null;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Api {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>;
  readonly post: (path: string, value: unknown) => Promise<ApiResponse>;
  /** Passes chunks of the event stream to `onText` until the returned function is called. */
  readonly follow: (onText: (text: string) => void) => Promise<() => void>;
}

export function createApi(port: number, token: string, patienceMs: number): Api {
  const open = ({ method = 'GET', path, headers = {}, body, token: requestToken = token }: ApiRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const authorization = requestToken === null ? {} : { authorization: `Bearer ${requestToken}` };
      // With `close` the server resets the connection after it refused a body, and the response can be lost.
      const connection = 'keep-alive';
      const sent = httpRequest(
        {
          ...{ host: '127.0.0.1', port, method, path, agent: false },
          headers: { connection, ...authorization, ...headers },
        },
        resolve,
      );
      sent.setTimeout(patienceMs, () => sent.destroy(new Error(`the API did not respond to ${method} ${path}`)));
      sent.on('error', reject).end(body);
    });
  const send = async (request: ApiRequest): Promise<ApiResponse> => {
    const response = await open(request);
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  };
  return {
    send,
    post: (path, value) => {
      const headers = { 'content-type': 'application/json' };
      return send({ method: 'POST', path, headers, body: JSON.stringify(value) });
    },
    follow: async (onText) => {
      const response = await open({ path: '/events' });
      response
        .setEncoding('utf8')
        .on('data', onText)
        .on('error', () => {});
      return () => void response.destroy();
    },
  };
}
