import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { openExporter } from './endpoint.ts';

interface Received {
  readonly resourceLogs: {
    scopeLogs: { logRecords: { body: { stringValue: string }; observedTimeUnixNano: string }[] }[];
  }[];
}

/** Starts an endpoint that responds with this status, or never. Returns the lines that it received and their times. */
async function endpoint(t: TestContext, status: number | 'never') {
  const lines: string[] = [];
  const times: string[] = [];
  const server = createServer(async (request, response) => {
    const { resourceLogs } = (await json(request)) as Received;
    const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
    lines.push(...records.map(({ body }) => body.stringValue));
    times.push(...records.map(({ observedTimeUnixNano }) => observedTimeUnixNano));
    if (status !== 'never') response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { lines, times, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Milliseconds that an endpoint which responds never exceeds, even on a busy machine. */
const patienceMs = 120_000;

async function opened(url: string, closeMs = patienceMs) {
  const logged: string[] = [];
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const exporter = await openExporter({ service: 'x', env, log: (message) => void logged.push(message) }, closeMs);
  return { exporter, logged };
}

test('sends every line before it closes', async (t) => {
  const { lines, url } = await endpoint(t, 200);
  const { exporter, logged } = await opened(`${url}/`);
  const sent = Array.from({ length: 2000 }, (_, number) => `{"line":${number}}`);
  for (const line of sent) exporter?.send(line);
  await exporter?.close();
  assert.deepEqual(lines, sent);
  assert.deepEqual([exporter?.dropped(), logged], [0, []]);
});

test('gives equal lines of one millisecond different nanoseconds, by which Loki distinguishes them', async (t) => {
  const { times, url } = await endpoint(t, 200);
  const { exporter } = await opened(url);
  const before = Date.now();
  for (let number = 0; number < 2000; number++) exporter?.send('{}');
  const after = Date.now();
  await exporter?.close();
  assert.equal(new Set(times.map((time) => time.slice(-6))).size, 2000);
  const milliseconds = times.map((time) => Number(time.slice(0, -6)));
  assert.ok(milliseconds.every((at) => at >= before && at <= after));
});

test('counts lines that an endpoint refuses, and logs the first refusal', async (t) => {
  const { url } = await endpoint(t, 400);
  const { exporter, logged } = await opened(url);
  for (let number = 0; number < 2000; number++) exporter?.send('{}');
  await exporter?.close();
  assert.equal(exporter?.dropped(), 2000);
  assert.equal(logged.length, 2);
  assert.match(logged.join('\n'), /^events are not sent to .*\nevents that were not sent to .*: 2000$/);
});

test('queues a bounded number of lines for an endpoint that does not respond, and closes without it', async (t) => {
  const { url } = await endpoint(t, 'never');
  const { exporter, logged } = await opened(url, 100);
  for (let number = 0; number < 20_000; number++) exporter?.send('{}');
  assert.equal(exporter?.dropped(), 20_000 - 8192);
  await exporter?.close();
  assert.match(logged.join('\n'), /^events are dropped: .*\nevents that were not sent to .*: 20000$/);
});

test('logs a bounded part of what the endpoint responds, without control characters', async (t) => {
  const reason = '\u001b[2J\u0007'.repeat(1000);
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end(`HTTP/1.1 400 ${reason}\r\nContent-Length: 0\r\n\r\n`));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { exporter, logged } = await opened(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  exporter?.send('{}');
  await exporter?.close();
  const [first = ''] = logged;
  assert.match(first, /^events are not sent to .*\\x1b\[2J\\x07.*They are dropped/);
  assert.doesNotMatch(first, /\u001b|\u0007/);
  assert.ok(first.length < 2000);
});

test('is not opened without an endpoint, or with a wrong one', async () => {
  assert.deepEqual(await opened(''), { exporter: undefined, logged: [] });
  const { exporter, logged } = await opened('localhost:4317');
  assert.equal(exporter, undefined);
  assert.match(logged.join(''), /it is not an http or https URL\. Correct OTEL_EXPORTER_OTLP_ENDPOINT, or unset it\./);
});

test('logs the endpoint without its password and without control characters', async (t) => {
  const { url } = await endpoint(t, 400);
  const { exporter, logged } = await opened(`${url.replace('//', '//user:secret@')}/\u001b[2J`);
  exporter?.send('{}');
  await exporter?.close();
  assert.match(logged.join(''), /127\.0\.0\.1/);
  assert.doesNotMatch(logged.join(''), /secret|\u001b/);
});
