/** Real TLS handshakes. The server requests a second ClientHello, because the first one has no key for its curve. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { echo, guardedService, start, startUpstream } from '../testing/daemon.ts';

/** A key, and its self-signed certificate of www.shop.example. Only these tests use them. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgH3Sf631ejmyz6DZ5
KYHb4oQ6la1I2xcwwDsXUJQor8ChRANCAAQkoANuuhbAfUd277QoSWrgtpIkMurI
5rFjCBLGWP5dvD/5YTQtiMXtgqvrAm24HiNjaEDj8aZcybuN86Rq49oN
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBjTCCATOgAwIBAgIUVhdGi3xktE3JIHIZOR9/xnwXLckwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQd3d3LnNob3AuZXhhbXBsZTAgFw0yNjExMjQwNzQ1MDdaGA8y
MTI2MTAzMTA3NDUwN1owGzEZMBcGA1UEAwwQd3d3LnNob3AuZXhhbXBsZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABCSgA266FsB9R3bvtChJauC2kiQy6sjmsWMI
EsZY/l28P/lhNC2Ixe2Cq+sCbbgeI2NoQOPxplzJu43zpGrj2g2jUzBRMB0GA1Ud
DgQWBBSgRXR1W8SL72lfn0v59+VX0H/NvzAfBgNVHSMEGDAWgBSgRXR1W8SL72lf
n0v59+VX0H/NvzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIF8h
aVUcny0fvbLKRHJk0XzdrhCrzjt0oUqCeoRVKe6fAiEA5CQDE5lVDjtGCpQWeGuk
jd+f3kW5SLPvNzahREzY4d8=
-----END CERTIFICATE-----
`;

const [allowed, refused] = ['www.shop.example', 'www.evil.example'];
/** The client sends a key for its first curve only, and the server accepts only the second one. */
const curves = { client: 'X25519:P-384', server: 'P-384' };

async function tlsServer(t: TestContext): Promise<number> {
  const server = createServer({ key, cert, ecdhCurve: curves.server, minVersion: 'TLSv1.3' }, echo);
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}

/**
 * Starts a TLS client that connects to a guarded server through a relay. The relay replaces the name in all chunks of
 * the client but the first.
 */
async function guardedServer(t: TestContext, name: string) {
  const service = guardedService(await tlsServer(t), { protocol: 'tls', tls: { allow_sni: [allowed] } });
  const { dial, event } = await start(t, { services: { tls: service } });
  const { port } = await startUpstream(t, (client: Socket) => {
    const guard = dial('tls');
    guard.pipe(client);
    client.once('data', (first: Buffer) => {
      guard.write(first);
      client.on('data', (bytes: Buffer) => {
        guard.write(Buffer.from(bytes.toString('latin1').replace(allowed, name), 'latin1'));
      });
    });
    client.on('end', () => guard.end());
  });
  const socket = connect({
    ...{ port, host: '127.0.0.1', servername: allowed },
    ...{ ecdhCurve: curves.client, rejectUnauthorized: false },
  });
  t.after(() => socket.destroy());
  return { socket: socket.on('error', () => {}), event };
}

test('relays a handshake with a second hello of the same name', async (t) => {
  const { socket, event } = await guardedServer(t, allowed);
  await once(socket, 'secureConnect');
  socket.write('hello');
  assert.equal(String((await once(socket, 'data'))[0]), 'hello');
  socket.end();
  const { action, facts } = await event(() => true);
  assert.deepEqual([action, facts?.sni], ['allowed', allowed]);
});

test('ends a connection whose second hello has a name that is not allowed', async (t) => {
  const { event } = await guardedServer(t, refused);
  const { action, reason, facts } = await event(() => true);
  assert.deepEqual([action, reason, facts?.sni], ['blocked', 'sni', refused]);
});
