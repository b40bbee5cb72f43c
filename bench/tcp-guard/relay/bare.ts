/** A relay of node:net without a guard: `bare.js <address> <port>:<upstream port>...`. */
import { createServer, Socket } from 'node:net';
import process from 'node:process';

function forward(from: Socket, to: Socket): void {
  from.on('data', (chunk) => {
    if (!to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
}

const [, , host = '', ...pairs] = process.argv;
for (const pair of pairs) {
  const [listen, port = 0] = pair.split(':').map(Number);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const upstream = new Socket({ allowHalfOpen: true });
    upstream.setNoDelay(true).once('connect', () => {
      client.setNoDelay(true);
      forward(client, upstream);
      forward(upstream, client);
      client.resume();
    });
    upstream.on('error', () => client.destroy()).connect(port, host);
  });
  server.listen({ port: listen ?? 0, host, backlog: 4096 });
}
