/** What the daemon of the soak leads to: an echo, and a source that is ahead of its reader all the time. Says the ports on which they listen. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import process from 'node:process';

const chunk = Buffer.alloc(16 * 1024, 'x');
/** Chunks that are on the way at most. Readers are on this machine too: with more, the kernel runs short of memory for all of TCP. */
const ahead = 64;

/** Each byte of the reader asks for a chunk. */
function pour(socket: Socket): void {
  for (let count = ahead; count > 0; count -= 1) socket.write(chunk);
  socket.on('data', (asked: Buffer) => {
    for (let count = asked.length; count > 0; count -= 1) socket.write(chunk);
  });
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
