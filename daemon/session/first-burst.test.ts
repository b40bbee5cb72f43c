/** Logins of an address that has no failure yet, and those of honest users who share an address with failures. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { guardedService, received, type Started, start, startUpstream } from '../testing/daemon.ts';

const address = '127.0.0.7'; // 127.0.0.1 is exempt as an address of this host
const banAfter = 5;
const guesses = 80;

interface Conversation {
  readonly greeting: string;
  /** What the client sends, one step for each reply. The last one has the password. */
  readonly steps: (user: string, password: string) => readonly string[];
  /** The replies to all steps but the last. */
  readonly replies: readonly string[];
  readonly refusal: string;
  readonly success: string;
}

const message = (kind: string, body: string) => `${kind}\0\0\0${String.fromCharCode(body.length + 4)}${body}`;

const conversations = {
  pop3: {
    greeting: '+OK ready\r\n',
    steps: (user, password) => [`USER ${user}\r\n`, `PASS ${password}\r\n`],
    replies: ['+OK\r\n'],
    refusal: '-ERR [AUTH] no\r\n',
    success: '+OK\r\n',
  },
  smtp: {
    greeting: '220 a\r\n',
    steps: (user, password) => [
      'EHLO a\r\n',
      `AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}\r\n`,
    ],
    replies: ['250 AUTH PLAIN\r\n'],
    refusal: '535 5.7.8 no\r\n',
    success: '235 2.7.0 ok\r\n',
  },
  redis: {
    greeting: '',
    steps: (user, password) => [`AUTH ${user} ${password}\r\n`],
    replies: [],
    refusal: '-WRONGPASS no\r\n',
    success: '+OK\r\n',
  },
  postgres: {
    greeting: '',
    steps: (user, password) => [message('', `\0\x03\0\0user\0${user}\0\0`), message('p', `${password}\0`)],
    replies: [message('R', '\0\0\0\x03')],
    refusal: message('E', 'SFATAL\0C28P01\0Mno\0\0'),
    success: message('R', '\0\0\0\0'),
  },
} as const satisfies Record<string, Conversation>;
type Name = keyof typeof conversations;

/** A server that answers passwords when the test says so. `judged`: the passwords that wait for their outcome. */
async function startServer(t: TestContext, name: Name) {
  const { greeting, replies, refusal, success }: Conversation = conversations[name];
  const judged: (() => void)[] = [];
  let total = 0;
  const { port } = await startUpstream(t, (socket) => {
    if (greeting !== '') socket.write(greeting);
    let step = 0;
    socket.on('data', (bytes: Buffer) => {
      if (step < replies.length) return void socket.write(replies[step++] as string, 'latin1');
      total += 1;
      const encoded = `${bytes}`.trim().split(' ').at(-1) as string;
      const isRight = `${bytes}${Buffer.from(encoded, 'base64')}`.includes('right');
      judged.push(() => void socket.write(isRight ? success : refusal, 'latin1'));
    });
    socket.on('end', () => socket.end());
  });
  const answerAll = () => {
    for (const answer of judged.splice(0)) answer();
  };
  return { port, judged, total: () => total, answerAll };
}

/** Logs in. Resolves with all that the server has sent when the connection ends. */
function logIn({ dial }: Started, name: Name, user: string, password: string) {
  const { greeting, steps }: Conversation = conversations[name];
  const left = [...steps(user, password)];
  const socket: Socket = dial('login', { localAddress: address });
  const next = () => {
    const step = left.shift();
    if (step !== undefined) socket.write(step, 'latin1');
    return step !== undefined;
  };
  socket.on('data', () => {
    if (!next()) socket.end();
  });
  if (greeting === '') socket.once('connect', next);
  return received(socket).then(({ bytes }) => bytes.toString('latin1'));
}

async function guarded(t: TestContext, name: Name, workers: number) {
  const server = await startServer(t, name);
  const login = guardedService(server.port, { protocol: name });
  const global = { workers, ban_after_failures: banAfter };
  return { server, started: await start(t, { global, services: { login } }) };
}

for (const [name, workers] of [
  ['postgres', 1],
  ['smtp', 1],
  ['redis', 1],
  ['redis', 2],
] as const)
  test(`few logins of the first burst of an address are judged: ${name}, workers: ${workers}`, async (t) => {
    const { server, started } = await guarded(t, name, workers);
    // A worker asks the coordinator for the second login of an address that is open.
    const most = daemonBounds.firstJudgedLogins + (workers > 1 ? workers : 0);
    const ended = Promise.all(
      Array.from({ length: guesses }, (_, index) => logIn(started, name, `user-${index}`, 'wrong')),
    );
    await until(async () => {
      await started.daemon.refreshCounts();
      return started.daemon.tables().connections?.entries === guesses;
    });
    await until(() => server.judged.length >= daemonBounds.firstJudgedLogins);
    const isBanned = () => started.events.some(({ action }) => action === 'banned');
    await until(() => {
      server.answerAll();
      return isBanned();
    });
    await ended;
    assert.ok(server.total() <= most, `${server.total()} guesses were judged`);
  });

test('logins of a first burst are all judged when they are right', async (t) => {
  const { server, started } = await guarded(t, 'redis', 1);
  const logins = Array.from({ length: guesses }, (_, index) => logIn(started, 'redis', `user-${index}`, 'right'));
  await until(() => {
    server.answerAll();
    return server.total() === guesses;
  });
  server.answerAll();
  const replies = await Promise.all(logins);
  assert.ok(replies.every((reply) => reply === conversations.redis.success));
});

for (const name of ['pop3', 'postgres', 'smtp', 'redis'] as const)
  test(`honest users log in behind an address with failures: ${name}`, async (t) => {
    const { server, started } = await guarded(t, name, 1);
    const answering = setInterval(server.answerAll, 1);
    t.after(() => clearInterval(answering));
    await logIn(started, name, 'mallory', 'wrong');
    await started.event(({ action }) => action === 'auth_failure');
    for (let round = 0; round < 4; round += 1) {
      const logins = Array.from({ length: 10 }, (_, index) => logIn(started, name, `user-${index}`, 'right'));
      const replies = await Promise.all(logins);
      const { success } = conversations[name];
      assert.ok(
        replies.every((reply) => reply.endsWith(success)),
        `round ${round}`,
      );
    }
    assert.deepEqual(
      started.events.filter(({ action }) => action === 'blocked').map(({ reason }) => reason),
      [],
    );
  });
