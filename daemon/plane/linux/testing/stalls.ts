/** Connections whose ends stop reading. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { until } from '../../../../platform/testing/until.ts';
import type { Connection, DataPlane } from '../../plane.ts';
import { relayAll } from '../../testing/conformance/churn.ts';

const ignore = (): void => {};

/** Opens connections whose ends send and do not read, and then closes or resets them. */
export async function stallMany<C extends Connection>(plane: DataPlane<C>, count: number): Promise<void> {
  const bytes = Buffer.alloc(2 * 1024 * 1024);
  const far: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', ignore).write(bytes);
    far.push(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const handlers = { accept: relayAll(plane, port), unattributed: ignore, fault: ignore };
  const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
  const near = Array.from({ length: count }, () => {
    const socket = connect({ host: '127.0.0.1', port: listener.endpoint.port }).on('error', ignore).pause();
    socket.write(bytes);
    return socket;
  });
  await until(() => plane.counters().open === 2 * count && far.length === count, 'all connections to be relayed');
  for (const [index, socket] of [...near, ...far].entries())
    if (index % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  await until(() => plane.counters().open === 0, 'all connections to be closed');
  await listener.close();
  server.close();
}
