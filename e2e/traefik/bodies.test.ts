/** Bodies that are only partly inspected, or that never arrive completely. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { listen } from '../support/listen.ts';
import { checkUpgrade, startEcho } from '../support/upgrade.ts';
import { routeWithGuards, startTraefik } from './process.ts';

type Header = readonly [name: string, value: string];

const form: Header = ['Content-Type', 'application/x-www-form-urlencoded'];
const json: Header = ['Content-Type', 'application/json'];
const attack = 'f=../../../etc/passwd';
const chunked: Header = ['Transfer-Encoding', 'chunked'];
const chunks = `${attack.length.toString(16)}\r\n${attack}\r\n0\r\n\r\n`;

const bytesOf = (headers: readonly Header[], body: string, version = '1.1'): string =>
  [`POST /x HTTP/${version}`, 'Host: x', ...headers.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n');

const sized = (headers: readonly Header[], body: string): string =>
  bytesOf([...headers, ['Content-Length', String(body.length)]], body);

const served = (port: number): Promise<void> =>
  until(
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    'Traefik to serve',
  );

/** Returns a function that opens a connection, and the backend. */
async function start(t: TestContext, policy: object) {
  const guard = { methods: ['*'], checkBody: true, ...policy };
  const backend = createServer((_, response) => response.end());
  const url = `http://127.0.0.1:${await listen(t, backend)}`;
  const { port } = await startTraefik(t, routeWithGuards(url, { guard }));
  await served(port);
  const open = (): Socket => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    return socket;
  };
  return { open, backend };
}

async function statusOf(socket: Socket, bytes: string): Promise<number> {
  socket.write(bytes, 'latin1');
  const [text] = (await once(socket, 'data')) as [string];
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]);
}

interface Row {
  readonly what: string;
  readonly headers: readonly Header[];
  readonly body: string;
  readonly overflow?: string;
}

/** Requests to a guard with a `maxBodyBytes` of 10. */
const rows: readonly Row[] = [
  { what: 'as long as what is inspected', headers: [form], body: 'a=12345678' },
  { what: 'longer than what is inspected', headers: [form], body: 'a=123456789', overflow: 'length' },
  { what: 'compressed', headers: [form, ['Content-Encoding', 'gzip']], body: 'x', overflow: 'encoding' },
  {
    what: 'of an unknown charset',
    headers: [[json[0], `${json[1]}; charset=utf-16`]],
    body: '""',
    overflow: 'charset',
  },
  { what: 'malformed', headers: [json], body: "{'a'", overflow: 'malformed' },
  { what: 'of a type that is not inspected', headers: [['Content-Type', 'image/png']], body: 'x'.repeat(2000) },
  { what: 'of a stream', headers: [['Content-Type', 'application/x-ndjson']], body: `${'"a"\n'.repeat(500)}` },
];

test('a body of which a part is not inspected is blocked with bodyOverflow block, and its event has the cause', async (t) => {
  const folder = scratchFolder('guard-bodies-');
  const file = join(folder, 'events.log');
  const { open } = await start(t, { maxBodyBytes: 10, bodyOverflow: 'block', securityLogFile: file });
  for (const { what, headers, body, overflow } of rows)
    assert.equal(await statusOf(open(), sized(headers, body)), overflow === undefined ? 200 : 403, what);
  const events = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ reason, overflow }) => [reason, overflow]),
    rows.flatMap(({ overflow }) => (overflow === undefined ? [] : [['limit_body', overflow]])),
  );
});

test('a body of which a part is not inspected passes without bodyOverflow', async (t) => {
  const { open } = await start(t, { maxBodyBytes: 10 });
  for (const { what, headers, body } of rows) assert.equal(await statusOf(open(), sized(headers, body)), 200, what);
});

test('more values than are inspected are blocked with bodyOverflow block', async (t) => {
  const { open } = await start(t, { bodyOverflow: 'block' });
  const values = (count: number): string => `[${Array(count).fill('"/a"').join(',')}]`;
  assert.equal(await statusOf(open(), sized([json], values(1024))), 200);
  assert.equal(await statusOf(open(), sized([json], values(1025))), 403);
});

test('bytes behind an upgrade are not a body', async (t) => {
  const guard = { methods: ['*'], checkBody: true };
  const { port } = await startTraefik(t, routeWithGuards(`http://127.0.0.1:${await startEcho(t)}`, { guard }));
  await served(port);
  await checkUpgrade(t, port);
});

test('bodies that may not come', async (t) => {
  const { open, backend } = await start(t, { bodyOverflow: 'block' });
  for (const type of ['application/connect+json', 'application/grpc', 'text/event-stream'])
    await t.test(`of type ${type} are not waited for`, async () => {
      const [name] = form;
      const whole = sized([[name, type]], '12345');
      // Traefik itself responds only after it has read the body.
      const arrival = once(backend, 'request');
      open().write(whole.slice(0, -1));
      await arrival;
    });

  await t.test('are sent by a client that expects 100 Continue', async () => {
    const socket = open();
    const length: Header = ['Content-Length', String(attack.length)];
    assert.equal(await statusOf(socket, bytesOf([form, length, ['Expect', '100-continue']], '')), 100);
    assert.equal(await statusOf(socket, attack), 403);
  });

  // HTTP/1.0 has no chunks. A guard that read them as a body would block both requests.
  for (const type of [form, json])
    await t.test(`are none in chunks of HTTP/1.0 for the guard and the backend: ${type[1]}`, async () => {
      const received = new Promise<string>((resolve) => {
        backend.once('request', (request) => resolve(text(request)));
      });
      assert.equal(await statusOf(open(), bytesOf([type, chunked], chunks, '1.0')), 200);
      assert.equal(await received, '');
    });

  await t.test('are inspected in chunks of HTTP/1.1', async () => {
    assert.equal(await statusOf(open(), bytesOf([form, chunked], chunks)), 403);
  });
});
