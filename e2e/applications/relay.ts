/** A relay between the browser and the guard. It records each request with its body, also those of uploads. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import type { RecordedRequest } from '../../conformance/applications/recorded.ts';
import { listen } from '../support/listen.ts';

export interface Relay {
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
}

/** Joins the lines of a head, which keep their order and letter case. */
const headOf = ({ method, url, rawHeaders }: IncomingMessage): string => {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
  return [`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n');
};

const recordOf = ({ method = '', url = '', headers }: IncomingMessage, body: string): RecordedRequest => ({
  method,
  target: url,
  ...(headers['content-type'] !== undefined && { type: headers['content-type'] }),
  ...(body !== '' && { body }),
});

function pass(port: number, received: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const { method, url: path, rawHeaders: headers } = received;
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.on('error', () => response.destroy()).pipe(response);
  });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  sent.end(body);
}

function passUpgrade(port: number, received: IncomingMessage, socket: Duplex, head: Buffer): void {
  const upstream = connect(port, '127.0.0.1', () => {
    upstream.write(headOf(received), 'latin1');
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
}

/** Starts a relay to the port that `upstream` returns. */
export async function startRelay(t: Pick<TestContext, 'after'>, upstream: () => number): Promise<Relay> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (received, response) => {
    const body = Buffer.concat(await received.toArray().catch(() => []));
    requests.push(recordOf(received, body.toString('latin1')));
    pass(upstream(), received, response, body);
  });
  server.on('upgrade', (received, socket, head) => {
    requests.push(recordOf(received, ''));
    passUpgrade(upstream(), received, socket, head);
  });
  return { port: await listen(t, server), requests };
}
