/**
 * The upstreams of the soak daemon. `source` sends `chunksAhead` chunks, and a further one for each byte that it
 * receives. `silent` sends nothing. Prints their ports.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import process from 'node:process';

const chunk = Buffer.alloc(16 * 1024, 'x');
/** Chunks that await confirmation. More would fill the kernel's memory for TCP. */
const chunksAhead = 64;

function sendChunks(socket: Socket): void {
  for (let count = chunksAhead; count > 0; count -= 1) socket.write(chunk);
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
const source = await listen(sendChunks);
const silent = await listen((socket) => void socket.resume());
process.stdout.write(`${JSON.stringify({ echo, source, silent })}\n`);
await once(process.stdin.resume(), 'end');
process.exit();
