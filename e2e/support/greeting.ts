import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';

/** Greets every connection. */
export async function startUpstream(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end('welcome'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}

/** Empty: the client is refused. */
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
