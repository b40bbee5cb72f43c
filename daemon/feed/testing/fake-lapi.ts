/** For tests: a LAPI whose replies the test sets, including failures. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface FakeLapi {
  readonly url: string;
  /** The method, path and query of each request, in order. */
  readonly requests: string[];
  /** The bodies of requests, in order. Requests without a body are left out. */
  readonly bodies: unknown[];
  /** Sets the reply to further requests. */
  readonly answer: (reply: Reply) => void;
}

export const jsonReply =
  (value: unknown, status = 200): Reply =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

/** Replies with a response of the decision stream. */
export const streamReply = (fresh: readonly unknown[] | null, deleted: readonly unknown[] | null = []): Reply =>
  jsonReply({ new: fresh, deleted });

export const decision = (value: string, more: object = {}) => ({
  id: 1,
  origin: 'cscli',
  type: 'ban',
  scope: 'Ip',
  value,
  duration: '4h',
  scenario: 'test',
  ...more,
});

export async function fakeLapi(t: TestContext, first: Reply): Promise<FakeLapi> {
  let reply = first;
  const requests: string[] = [];
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(`${request.method} ${request.url}`);
    if (body !== '') bodies.push(JSON.parse(body));
    reply(request, response, body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    bodies,
    answer: (next) => {
      reply = next;
    },
  };
}
