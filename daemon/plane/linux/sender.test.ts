import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { option } from '../../process/libc/abi.ts';
import { libc, skip } from '../../process/libc/testing/libc.ts';
import type { LinuxConnection } from './connection.ts';
import { createLinuxPlane } from './plane.ts';

test('a second write to an upstream does not wait until the first is acknowledged', { skip }, async (context) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const { port } = server.address() as AddressInfo;
  const connection = await new Promise<LinuxConnection>((resolve, reject) =>
    createLinuxPlane(libc).connect({ ip: '127.0.0.1', port }, (outcome) =>
      outcome.ok ? resolve(outcome.connection) : reject(new Error(outcome.why)),
    ),
  );
  context.after(() => connection.end('reset'));
  const [socket] = await accepted;
  socket.on('error', () => {}).resume();
  const hasNoDelay = () => libc.option(connection.fd, option.noDelay) === 1;
  assert.ok(connection.write(Buffer.from('one')));
  assert.ok(!hasNoDelay(), 'nothing waits for an acknowledgment yet');
  assert.ok(connection.write(Buffer.from('two')));
  assert.ok(hasNoDelay());
});
