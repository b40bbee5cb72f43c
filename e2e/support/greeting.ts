import { connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';

/** Starts an upstream that greets every connection. Returns its port. */
export async function startUpstream(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end('welcome'));
  return listen(t, server);
}

/** Returns what the client receives: an empty text when it is refused. */
export function receivedBytes(port: number, localAddress: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  connect({ host: '127.0.0.1', port, localAddress })
    .setEncoding('utf8')
    .on('data', (chunk: string) => {
      text += chunk;
    })
    .on('error', () => undefined)
    .on('close', () => resolve(text));
  return promise;
}
