import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../platform/testing/until.ts';
import { createNetPlane } from '../plane/net/plane.ts';
import { guardedService, start, startUpstream } from '../testing/daemon.ts';

/** Random actions of a client or an upstream. */
const acts: readonly ((socket: Socket) => unknown)[] = [
  (socket) => socket.write(randomBytes(randomInt(1, 200_000))),
  (socket) => socket.write(Uint8Array.of(22)),
  (socket) => socket.end(),
  (socket) => socket.end(randomBytes(randomInt(1, 100_000))),
  (socket) => socket.destroy(),
  (socket) => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy()), // as endSocket does
  (socket) => socket.pause(),
  (socket) => socket.resume(),
];

async function misbehave(socket: Socket): Promise<void> {
  socket.on('error', () => {}).on('data', () => {});
  for (let step = randomInt(1, 8); step > 0 && !socket.destroyed; step--) {
    acts[randomInt(acts.length)]?.(socket);
    for (let turns = randomInt(0, 4); turns > 0; turns--) await turn();
  }
  socket.destroy();
}

test('no state of a connection remains, whatever both ends do', async (t) => {
  const { port } = await startUpstream(t, (socket) => void misbehave(socket));
  const plane = createNetPlane();
  const protocols = ['generic', 'ssh', 'tls', 'http', 'smtp', 'postgres', 'mysql', 'redis', 'mqtt', 'rdp'] as const;
  const accept_from = ['127.0.0.2'];
  const service = (protocol: (typeof protocols)[number]) =>
    guardedService(port, { protocol, timeouts: { first_byte: '1s' }, proxy_protocol: { accept_from } });
  const services = Object.fromEntries(protocols.map((protocol) => [protocol, service(protocol)]));
  const { daemon, dial } = await start(t, { services }, { plane });
  const clients = Array.from({ length: 600 }, async (_, index) => {
    const localAddress = index % 5 === 0 ? '127.0.0.2' : '127.0.0.3';
    const socket = dial(protocols[index % protocols.length] as string, { localAddress });
    await once(socket, 'connect').catch(() => {});
    if (index % 10 === 0) socket.write('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n');
    await misbehave(socket);
  });
  await Promise.all(clients);
  await until(() => plane.counters().open === 0);
  assert.equal(daemon.tables().connections?.entries, 0);
  for (const { active_connections } of Object.values(daemon.stats())) assert.equal(active_connections, 0);
  assert.equal(plane.counters().accepted, 600);
});
