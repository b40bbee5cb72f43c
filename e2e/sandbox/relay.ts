/** A proxy in front of the container runtime. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { connect as connectRuntime, diskFiles } from '../../containers/connect.ts';
import { open } from '../../containers/docker.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

const requestLine = /^(?:GET|POST|DELETE) \S+/;

export interface Relay {
  readonly env: { readonly DOCKER_HOST: string };
  /** Resolves when a request of this kind has arrived. It is forwarded after `release`. */
  readonly hold: (request: RegExp) => Promise<void>;
  readonly release: () => void;
  /** Responds with 404 to requests of this kind. */
  readonly deny: (request: RegExp) => void;
  /** Closes every connection and accepts no new one. */
  readonly cut: () => Promise<void>;
}

async function socketPath(): Promise<string> {
  const { runtime } = await connectRuntime(process.env, diskFiles, open);
  if (runtime.address.kind !== 'unix') throw new Error('these tests need a container runtime behind a socket');
  return runtime.address.path;
}

export async function openRelay(t: TestContext): Promise<Relay> {
  const runtime = await socketPath();
  const path = join(scratchFolder('guard-relay-'), 'runtime.sock');
  const sockets = new Set<Socket>();
  const denied: RegExp[] = [];
  let held: { request: RegExp; reached: () => void } | undefined;
  let released = Promise.withResolvers<void>();

  const forward = async (chunk: Buffer, client: Socket, server: Socket): Promise<void> => {
    const line = requestLine.exec(chunk.toString('latin1'))?.[0];
    if (line !== undefined && denied.some((request) => request.test(line))) {
      client.write('HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
      return;
    }
    if (line !== undefined && held?.request.test(line)) {
      held.reached();
      await released.promise;
    }
    server.write(chunk);
  };

  const relay = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ path: runtime, allowHalfOpen: true });
    let order = Promise.resolve();
    client.on('data', (chunk) => {
      order = order.then(() => forward(chunk as Buffer, client, server));
    });
    client.on('end', () => void order.then(() => server.end()));
    server.pipe(client);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }).listen(path);
  await once(relay, 'listening');

  const cut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (relay.listening) await once(relay.close(), 'close');
  };
  t.after(async () => {
    released.resolve();
    await cut();
    rmSync(join(path, '..'), { recursive: true, force: true });
  });
  return {
    env: { DOCKER_HOST: `unix://${path}` },
    hold: (request) => {
      released = Promise.withResolvers<void>();
      const arrival = Promise.withResolvers<void>();
      held = { request, reached: arrival.resolve };
      return arrival.promise;
    },
    release: () => {
      held = undefined;
      released.resolve();
    },
    deny: (request) => void denied.push(request),
    cut,
  };
}
