import { createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from '../../../support/listen.ts';

export interface Target {
  readonly port: number;
  readonly requests: string[];
  readonly sockets: Set<Socket>;
}

/** Responses by the end of the path. "" keeps the connection open; null closes it immediately. */
export type Replies = Readonly<Record<string, string | null>>;

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: (\d+)$/im.exec(text.slice(0, Math.max(0, end)))?.[1] ?? 0);
  return end >= 0 && text.length >= end + 4 + length;
}

/** Sends a response. When it ends with "...", sends only the text before, and keeps the connection open. */
function reply(socket: Socket, bytes: string | null | undefined): void {
  if (bytes === null) socket.destroy();
  else if (bytes === '') return;
  else if (bytes?.endsWith('...')) socket.write(bytes.slice(0, -3), 'latin1');
  else socket.end(bytes ?? 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\necho\r\n', 'latin1');
}

export async function startTarget(t: TestContext, replies: Replies): Promise<Target> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let text = '';
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isWhole(text)) return;
      requests.push(text);
      const [, path = ''] = /^\S+ \S*\/([^/?\s]*)/.exec(text) ?? [];
      reply(socket, replies[path]);
    });
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port: await listen(t, server), requests, sockets };
}
