/** Logins that one client sends over many connections at a time. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { guardedService, received, type Started, start, startUpstream } from '../testing/daemon.ts';

const client = { localAddress: '127.0.0.7' }; // 127.0.0.1 is exempt as an address of this host
const banAfter = 5;
const most = banAfter + 2;

/** A POP3 server whose replies to passwords the test sends. `judged`: the open passwords, with their users. */
async function judge(t: TestContext) {
  const judged: { readonly user: string; readonly socket: Socket }[] = [];
  let [total, peak] = [0, 0];
  const { port } = await startUpstream(t, (socket) => {
    socket.write('+OK ready\r\n');
    let user = '';
    socket.on('data', (bytes: Buffer) => {
      for (const line of bytes.toString().split('\r\n').slice(0, -1)) {
        if (line.startsWith('USER')) user = line.slice(5);
        if (!line.startsWith('PASS')) socket.write('+OK\r\n');
        else {
          total += 1;
          judged.push({ user, socket });
          peak = Math.max(peak, judged.length);
        }
      }
    });
  });
  const answer = (reply: string) => judged.shift()?.socket.write(`${reply}\r\n`);
  return { port, judged, total: () => total, peak: () => peak, answer };
}

const refusal = '-ERR [AUTH] no';

function guess({ dial }: Started, user: string): Socket {
  const socket = dial('pop3', client);
  socket.write(`USER ${user}\r\nPASS x\r\n`);
  socket.resume();
  return socket;
}

async function startPop3(t: TestContext, global: DaemonFile['global'], timeouts = {}) {
  const server = await judge(t);
  const service = guardedService(server.port, { protocol: 'pop3', timeouts });
  const started = await start(t, { global: { ban_after_failures: banAfter, ...global }, services: { pop3: service } });
  const fail = async () => {
    const before = started.events.filter(({ action }) => action === 'auth_failure').length;
    const socket = guess(started, 'first');
    await until(() => server.judged.length === 1);
    server.answer(refusal);
    await until(() => started.events.filter(({ action }) => action === 'auth_failure').length === before + 1);
    socket.destroy();
  };
  return { server, started, fail };
}

for (const workers of [1, 2])
  test(`few logins of a failing client are judged at a time, and one ban is recorded, with workers: ${workers}`, async (t) => {
    const { server, started, fail } = await startPop3(t, { workers });
    await fail();
    const sockets = Array.from({ length: 9 }, (_, index) => guess(started, `user-${index}`)); // ten may connect at once
    const ended = Promise.all(sockets.map(received));
    await until(() => server.judged.length === most);
    for (let reply = 0; reply < banAfter - 1; reply += 1) server.answer(refusal);
    await ended;
    const { length: count } = started.events.filter(({ action }) => action === 'banned');
    assert.equal(count, 1);
    assert.equal(server.peak(), most);
  });

test('a login that waits is judged when another one has its outcome, and a success exempts its user', async (t) => {
  const { server, started, fail } = await startPop3(t, {});
  await fail();
  for (let index = 0; index < most + 1; index += 1) guess(started, `user-${index}`);
  await until(() => server.judged.length === most);
  server.answer('+OK welcome');
  await until(() => server.judged.length === most && server.total() === most + 2);
  guess(started, 'user-0');
  await until(() => server.judged.length === most + 1);
  assert.equal(server.judged.at(-1)?.user, 'user-0');
});

test('a wait of an address without failures ends with the login', async (t) => {
  const { server, started } = await startPop3(t, {}, { first_byte: '300ms' });
  const count = 2 * daemonBounds.firstJudgedLogins + 1;
  for (let index = 0; index < count; index += 1) guess(started, `user-${index}`);
  await until(() => server.total() === count);
  assert.deepEqual(started.events, []);
});

test('a wait that expires closes its connection and counts nothing', async (t) => {
  const { server, started, fail } = await startPop3(t, { ban_after_failures: 2 }, { first_byte: '300ms' });
  await fail();
  const sockets = Array.from({ length: 9 }, (_, index) => guess(started, `user-${index}`));
  const ended = Promise.race(sockets.map(received));
  await started.event(({ reason }) => reason === 'login_wait_timeout'); // four are judged, then four others
  await ended;
  assert.equal(server.total(), 1 + 8);
  assert.equal(started.events.filter(({ action }) => action === 'auth_failure').length, 1);
  assert.equal(started.daemon.bans.count(), 0);
});
