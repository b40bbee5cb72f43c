/**
 * Records conversations for the vectors of the inspectors: relays connections to a server, and prints each, when it has
 * ended, as one line of JSON. Usage: scripts/node scripts/record/relay.ts PORT UPSTREAM_PORT
 */
import { connect, createServer, type Socket } from 'node:net';
import { argv, stdout } from 'node:process';

/** A step of daemon/inspectors/vectors.ts. */
interface Turn {
  readonly from: 'client' | 'server';
  base64: string;
}

const joined = (base64: string, chunk: Buffer) =>
  Buffer.concat([Buffer.from(base64, 'base64'), chunk]).toString('base64');

function follow(turns: Turn[], from: Turn['from'], source: Socket, target: Socket): void {
  source.on('data', (chunk: Buffer) => {
    const last = turns.at(-1);
    if (last?.from === from) last.base64 = joined(last.base64, chunk);
    else turns.push({ from, base64: chunk.toString('base64') });
    target.write(chunk);
  });
  source.on('end', () => target.end());
  source.on('error', () => target.destroy());
}

const [port = 0, upstreamPort = 0] = argv.slice(2).map(Number);
createServer({ allowHalfOpen: true }, (client) => {
  const server = connect({ port: upstreamPort, host: '127.0.0.1', allowHalfOpen: true });
  const turns: Turn[] = [];
  follow(turns, 'client', client, server);
  follow(turns, 'server', server, client);
  server.on('close', () => stdout.write(`${JSON.stringify(turns)}\n`));
}).listen(port, '127.0.0.1');
