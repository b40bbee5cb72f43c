/**
 * In front of a real xrdp, tcp-guard records the user, relays TLS, and refuses clients without a connection request.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { reasonToSkip, startServer } from '../../conformance/servers/running.ts';
import { xrdp } from '../../conformance/servers/xrdp.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';
import { startGuard } from './process.ts';

/** A connection request for user `alice` that offers TLS ([MS-RDPBCGR] 2.2.1.1). */
const cookie = Buffer.from('Cookie: mstshash=alice\r\n');
const offer = Buffer.from([1, 0, 8, 0, 1, 0, 0, 0]);
const unit = Buffer.concat([Buffer.from([6 + cookie.length + offer.length, 0xe0, 0, 0, 0, 0, 0]), cookie, offer]);
const request = Buffer.concat([Buffer.from([3, 0, 0, 4 + unit.length]), unit]);
const tlsSelected = Buffer.from([2]);

async function reach(port: number): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

test('xrdp: a connection request is read, TLS behind it passes, and TLS at once does not', {
  skip: reasonToSkip(xrdp),
}, async (t) => {
  const { ports } = await startServer(t, xrdp);
  const before = await freePort();
  const services = { desk: { listen: `127.0.0.1:${before}`, upstream: `127.0.0.1:${ports.rdp}`, protocol: 'rdp' } };
  const guard = await startGuard(t, { services }, { log_level: 'debug' });

  const socket = await reach(before);
  socket.write(request);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.deepEqual(answer.subarray(11, 12), tlsSelected);
  const tls = connectTls({ socket, rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  assert.equal(tls.getPeerX509Certificate()?.subject, 'CN=rdp.example');
  tls.destroy();
  await until(async () => guard.events().some(({ action }) => action === 'allowed'), 'the connection to be noted');
  const noted = guard.events().find(({ action }) => action === 'allowed');
  assert.equal(noted?.facts?.user, 'alice');

  const hasty = connectTls({ port: before, host: '127.0.0.1', rejectUnauthorized: false });
  let isSecure = false;
  hasty
    .on('error', () => hasty.destroy())
    .on('secureConnect', () => {
      isSecure = true;
    });
  await new Promise((resolve) => hasty.on('close', resolve));
  assert.equal(isSecure, false);
  await until(async () => guard.events().some(({ action }) => action === 'blocked'), 'the refusal');
});
