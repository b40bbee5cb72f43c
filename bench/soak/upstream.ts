/** What the daemon of the soak leads to: an echo, and a source that never ends. Says the ports on which they listen. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import process from 'node:process';

const chunk = Buffer.alloc(64 * 1024, 'x');

function pour(socket: Socket): void {
  const more = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('drain', more).resume();
  more();
}

async function listen(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => serve(socket.on('error', () => {})));
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }), 'listening');
  return (server.address() as { port: number }).port;
}

const echo = await listen((socket) => socket.pipe(socket));
const source = await listen(pour);
process.stdout.write(`${JSON.stringify({ echo, source })}\n`);
await once(process.stdin.resume(), 'end');
process.exit();
