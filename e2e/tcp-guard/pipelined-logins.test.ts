/** A client that sends a thousand guesses to a real Redis in one write is banned before most of them are judged. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { redis } from '../../conformance/servers/redis.ts';
import { reasonToSkip, startServer } from '../../conformance/servers/running.ts';
import { right } from '../../conformance/servers/server.ts';
import { until } from '../../platform/testing/until.ts';
import { freePort } from '../support/guardcli.ts';
import { openForwardingPort, startGuard } from './process.ts';

const client = '192.0.2.66';
const guesses = 1000;
const banAfter = 5;
/** Every guess that Redis judges is one call of AUTH in its statistics. */
const judgedForm = /^cmdstat_auth:calls=(\d+)/m;

/** Sends commands and returns the whole reply, after the server or the guard has closed. */
async function exchange(port: number, commands: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let reply = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    reply += text;
  });
  socket.on('error', () => {}).write(commands);
  await once(socket, 'close');
  return reply;
}

const attack = Array.from({ length: guesses }, (_, index) => `AUTH guess_${index}\r\nSET pwned hit-${index}\r\n`).join(
  '',
);

const planes = ['net', 'linux'].flatMap((data_plane) => [1, 2].map((workers) => ({ data_plane, workers })));

for (const { data_plane, workers } of planes)
  test(`${data_plane}, workers ${workers}: pipelined guesses lead to a ban, and few are judged`, {
    skip: reasonToSkip(redis),
  }, async (t) => {
    const { ports } = await startServer(t, redis);
    const [before, behind] = [await freePort(), ports.redis];
    const proxy_protocol = { accept_from: ['127.0.0.0/8'] };
    const listens = { listen: `127.0.0.1:${before}`, upstream: `127.0.0.1:${behind}` };
    const services = { redis: { ...listens, protocol: 'redis', proxy_protocol } };
    const guard = await startGuard(t, { services }, { data_plane, workers, ban_after_failures: banAfter });
    const port = await openForwardingPort(t, client, before);
    const honest = await exchange(port, `AUTH ${right}\r\nSELECT 1\r\nSET a 1\r\nQUIT\r\n`);
    assert.equal(honest, '+OK\r\n+OK\r\n+OK\r\n+OK\r\n');

    await exchange(port, attack);
    const count = (wanted: string) => guard.events().filter(({ action }) => action === wanted).length;
    await until(async () => count('banned') === 1, 'the ban');
    const stats = await exchange(behind, `AUTH ${right}\r\nINFO commandstats\r\nGET pwned\r\nQUIT\r\n`);
    const judged = Number(judgedForm.exec(stats)?.[1]) - 2; // the two right ones
    assert.ok(judged >= banAfter && judged <= banAfter + 2, `${judged} guesses were judged`);
    assert.match(stats, /\$-1\r\n\+OK\r\n$/, 'no command behind a guess was executed');
    assert.equal(count('auth_failure') >= banAfter, true);
  });
