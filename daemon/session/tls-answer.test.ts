/** TLS clients of services that also accept clear text. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { helloOfOpenSsl } from '../inspectors/testing/hello.ts';
import { bytesOf, guardedService, received, start, startUpstream } from '../testing/daemon.ts';

type Protocol = 'redis' | 'ldap' | 'mqtt' | 'mongodb' | 'postgres';

/** A connection to a silent server, which has received the first bytes. `wait` lets `tlsAnswerMs` pass. */
async function relayed(t: TestContext, protocol: Protocol, bytes: Buffer) {
  const served = Promise.withResolvers<Socket>();
  const { port } = await startUpstream(t, served.resolve);
  const { dial, event, daemon } = await start(t, { services: { one: guardedService(port, { protocol }) } });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const client = dial('one');
  client.write(bytes);
  const server = await served.promise;
  assert.deepEqual(await bytesOf(server, bytes.length), bytes);
  const wait = () => {
    t.mock.timers.tick(daemonBounds.tlsAnswerMs);
    t.mock.timers.reset();
  };
  return { client, server, event, daemon, wait };
}

function isRelayed(client: Socket, server: Socket): Promise<boolean> {
  client.write('x');
  return Promise.race([once(server, 'data').then(() => true), received(server).then(() => false)]);
}

for (const protocol of ['redis', 'ldap', 'mqtt', 'mongodb', 'postgres'] as const)
  test(`${protocol}: ends a TLS client whose server does not answer its hello`, async (t) => {
    const { client, server, event, daemon, wait } = await relayed(t, protocol, helloOfOpenSsl);
    const ends = [client, server].map((socket) => received(socket));
    wait();
    assert.deepEqual(
      (await Promise.all(ends)).map(({ bytes }) => bytes.length),
      [0, 0],
    );
    const { action, reason } = await event(() => true);
    assert.deepEqual([action, reason], ['blocked', 'no_tls_answer']);
    assert.equal(daemon.stats().one?.total_blocked, 1);
  });

test('a TLS client whose server has answered has no further limit', async (t) => {
  const { client, server, wait } = await relayed(t, 'redis', helloOfOpenSsl);
  server.write(Buffer.of(0x16, 3, 3, 0, 0x7a));
  await bytesOf(client, 5);
  wait();
  assert.equal(await isRelayed(client, server), true);
});

test('a client in clear text can wait longer for its server', async (t) => {
  const { client, server, wait } = await relayed(t, 'redis', Buffer.from('PING\r\n'));
  wait();
  assert.equal(await isRelayed(client, server), true);
});
