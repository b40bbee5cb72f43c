/** Sends raw bytes, and reads responses byte for byte. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Header lines in received order, without Date, Server and Connection. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Sends bytes in Latin-1. Returns all bytes until the server closes or resets the connection. */
export async function exchangeBytes(port: number, raw: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(raw, 'latin1');
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

const headersOfServer = /^(?:date|server|connection):/i;

/** Parses consecutive responses to requests with these methods. */
export function answersIn(bytes: string, ...methods: readonly string[]): Answer[] {
  let rest = bytes;
  return methods.map((method) => {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...headers] = rest.slice(0, end).split('\r\n');
    const length = Number(/^content-length: (\d+)$/im.exec(rest.slice(0, end + 2))?.[1] ?? 0);
    const bodyLength = method === 'HEAD' ? 0 : length;
    const body = rest.slice(end + 4, end + 4 + bodyLength);
    rest = rest.slice(end + 4 + bodyLength);
    return {
      status: Number(line.split(' ')[1]),
      headers: headers.filter((header) => !headersOfServer.test(header)),
      body,
    };
  });
}

export const request = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: example.com', ...headers, '', ''].join('\r\n');

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}
