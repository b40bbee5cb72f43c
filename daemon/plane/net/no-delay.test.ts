import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { nextText, relayPair } from '../testing/conformance/rig.ts';
import { createNetPlane } from './plane.ts';

/** Returns the remote ports of sockets that have got TCP_NODELAY. */
function portsWithNoDelay(t: TestContext): Set<number | undefined> {
  const ports = new Set<number | undefined>();
  t.mock.method(Socket.prototype, 'setNoDelay', function setNoDelay(this: Socket) {
    ports.add(this.remotePort);
    return this;
  });
  return ports;
}

const passed = (from: Socket, to: Socket, bytes: string): Promise<string> => {
  from.write(bytes);
  return nextText(to, bytes.length);
};

test('a socket to which one segment is written needs no TCP_NODELAY, and gets it before a second one', async (t) => {
  const ports = portsWithNoDelay(t);
  const { client, upstream } = await relayPair(t, createNetPlane());
  await passed(client, upstream, 'GET');
  await passed(upstream, client, '200');
  assert.deepEqual(ports, new Set());
  await passed(client, upstream, '/');
  assert.deepEqual(ports, new Set([upstream.localPort]));
  await passed(upstream, client, ' OK');
  assert.deepEqual(ports, new Set([upstream.localPort, client.localPort]));
});

test('a socket gets TCP_NODELAY for a first chunk of several segments, and where bytes were written before', async (t) => {
  const ports = portsWithNoDelay(t);
  const opened = (connection: { write: (bytes: Uint8Array) => boolean }) => void connection.write(Buffer.from('PROXY'));
  const { client, upstream } = await relayPair(t, createNetPlane(), { beforeRelay: opened });
  await passed(upstream, client, 'x'.repeat(daemonBounds.segmentBytes + 1));
  assert.deepEqual(ports, new Set([client.localPort]));
  await passed(client, upstream, 'GET');
  assert.deepEqual(ports, new Set([client.localPort, upstream.localPort]));
});
