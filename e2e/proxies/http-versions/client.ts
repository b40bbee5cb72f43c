/** Sends requests over HTTP/2 and HTTP/3 through e2e/proxies/http-client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { buildArtefact } from '../../../artefacts/build.ts';
import type { RawConnection, Server } from '../../../cli/probes/raw-client.ts';
import type { RequestParts } from '../../../cli/probes/request-bytes.ts';
import type { Reply } from '../../../cli/probes/response.ts';

/**
 * `h2c` is HTTP/2 without TLS. `h3-early` sends the first request as early data; `closed` means that the server refused
 * it.
 */
export type Transport = 'h2c' | 'h2' | 'h3' | 'h3-early';

export type Open = (server: Server) => RawConnection;

type Field = readonly [name: string, value: string];

interface Line {
  readonly id: number;
  readonly fields: readonly Field[] | null;
  readonly body: string | null;
  readonly end?: 'closed' | 'broken' | 'timeout';
  readonly reason?: string;
}

const encode = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('latin1');

/** Bodies of odd length are sent without Content-Length. */
const isSized = ({ body }: RequestParts): boolean => body.length % 2 === 0;

function fieldsOf(request: RequestParts, transport: Transport): Field[] {
  const { method, target, headers } = request;
  const [[, host = ''] = [], ...others] = headers;
  const kept = others.filter(([name]) => isSized(request) || name.toLowerCase() !== 'content-length');
  return [
    [':method', method],
    [':scheme', transport === 'h2c' ? 'http' : 'https'],
    [':authority', host],
    [':path', target],
    ...kept.map(([name, value]): Field => [name.toLowerCase(), value]),
  ];
}

function replyOf({ fields, body, end, reason = '' }: Line): Reply {
  const received = decode(body ?? '');
  if (end === 'closed') return { kind: 'closed' };
  if (end !== undefined) return { kind: 'broken', reason, received, end: end === 'timeout' ? 'timeout' : 'closed' };
  const headers = (fields ?? []).map(([name, value]): Field => [decode(name), decode(value)]);
  const status = Number(headers.find(([name]) => name === ':status')?.[1]);
  return { kind: 'response', status, headers, body: received, last: false };
}

/** Starts the client. The returned function sends a line without its number, and resolves with the reply. */
async function startLines(t: Pick<TestContext, 'after'>): Promise<(line: object) => Promise<Line>> {
  const child = spawn(await buildArtefact('http-client', {}), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING: 'true' },
  });
  const ended = once(child, 'close');
  t.after(async () => {
    child.stdin.end();
    await ended;
  });
  const waiting = new Map<number, (line: Line) => void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    waiting.get(line.id)?.(line);
    waiting.delete(line.id);
  });
  let next = 0;
  return (line) => {
    const id = next++;
    child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
}

/** Returns a function that sends bytes on a stream of HTTP/3, and resolves when the server has ended it. */
export async function startStreams(
  t: Pick<TestContext, 'after'>,
): Promise<(port: number, bytes: Buffer) => Promise<void>> {
  const exchange = await startLines(t);
  return async (port, bytes) =>
    void (await exchange({ version: 'h3', address: `127.0.0.1:${port}`, stream: bytes.toString('base64') }));
}

export async function startClient(t: Pick<TestContext, 'after'>): Promise<(transport: Transport) => Open> {
  const lines = await startLines(t);
  const exchange = (request: RequestParts, transport: Transport, { host, port }: Server): Promise<Line> => {
    const fields = fieldsOf(request, transport).map((field) => field.map(encode));
    const hasBody = request.body !== '';
    return lines({ version: transport, address: `${host}:${port}`, fields, body: encode(request.body), hasBody });
  };
  return (transport) => (server) => ({
    send: async ({ requests = [] }) => {
      const replies: Reply[] = [];
      for (const request of requests) replies.push(replyOf(await exchange(request, transport, server)));
      return replies;
    },
    close: () => {},
  });
}
