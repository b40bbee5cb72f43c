/** Sends and receives raw bytes over Unix sockets. */
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { TestContext } from 'node:test';

/** A request in these tests ends here, because it has no body. */
const headEnd = '\r\n\r\n';

/** Starts a server that responds with the received head, in Latin-1. */
export async function headEcho(t: TestContext, path: string): Promise<void> {
  const server = createServer((socket) => {
    let head = '';
    socket.on('error', () => {});
    socket.setEncoding('latin1').on('data', (text: string) => {
      head += text;
      if (!head.includes(headEnd)) return;
      const fixed = `HTTP/1.1 200 OK\r\nContent-Length: ${head.length}\r\nConnection: close\r\n\r\n`;
      socket.end(fixed + head, 'latin1');
    });
  }).listen(path);
  t.after(() => server.close());
  await once(server, 'listening');
}

/** Sends Latin-1 on a new connection. Returns the whole response. */
export async function exchange(path: string, bytes: string): Promise<string> {
  const socket = createConnection(path);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  // A server that refuses a long request early may reset the connection.
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  return answer;
}
