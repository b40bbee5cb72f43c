import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import * as model from '../../engine/hosts/caddy.ts';
import { asSent } from '../../engine/hosts/received.ts';
import { ExternalError } from '../../platform/errors.ts';
import { createEventLog } from './events.ts';
import { type Probe, requestFor } from './probe.ts';
import type { ProbeSet } from './probe-set.ts';
import type { ProbeProgress } from './progress.ts';
import { createEventPace, runProbes } from './run.ts';
import { createSetting } from './setting.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const refusal = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/** A proxy without a guard: it refuses what Caddy refuses and echoes everything else. */
async function bareProxy(t: TestContext): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      const target = text.split(' ')[1] ?? '';
      if (model.receives(asSent({ target })).kind === 'refused') socket.end(refusal);
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${chunk.length}\r\n\r\n${text}`, 'latin1');
    });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const targets = ['/app.css', '/.env', '/%zz', '/.git/config'];
const probeSet: ProbeSet = {
  probes: targets.map((target) => ({
    ...{ id: `specification:${target}`, source: 'specification', description: target },
    requests: [requestFor(target)],
  })),
  skipped: [],
};

/** A server that accepts connections and never responds. */
async function silentProxy(t: TestContext, sockets: Socket[] = []): Promise<number> {
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server that answers each request like Caddy in front of a dead upstream. */
async function gateway(t: TestContext): Promise<number> {
  const answer = 'HTTP/1.1 502 Bad Gateway\r\nServer: Caddy\r\nContent-Length: 0\r\n\r\n';
  const server = createServer((socket) => socket.on('error', () => {}).on('data', () => socket.write(answer)));
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function run(
  t: TestContext,
  signal = new AbortController().signal,
  proxy = bareProxy,
  sent = probeSet,
  echoes = true,
) {
  const port = await proxy(t);
  const policy = Policy.parse({ securityLog: false });
  const setting = createSetting({ policy, model, host: `localhost:${port}`, peer: '127.0.0.1' });
  const progress: ProbeProgress[] = [];
  const onProgress = (one: ProbeProgress) => void progress.push(one);
  const address = { host: '127.0.0.1', port };
  const base = { setting, probeSet: sent, address, events: createEventLog(), echoes, firstIndex: 0, signal };
  const pace = createEventPace(Date.now);
  const report = await runProbes({ ...base, pace, now: Date.now, onProgress });
  return { report, progress, port };
}

test('fails exactly the probes that must be blocked when the proxy has no guard', async (t) => {
  const { report, progress, port } = await run(t);
  assert.deepEqual(
    report.results.filter(({ ok }) => !ok).map(({ id }) => id),
    ['specification:/.env', 'specification:/.git/config'],
  );
  assert.equal(report.ok, false);
  const [failure] = report.results.filter(({ ok }) => !ok);
  assert.deepEqual(failure?.problems, ['status 200, expected 403']);
  assert.equal(failure?.expected, 'blocked (block_pattern_match, env-file, in path)');
  assert.match(failure?.got ?? '', /^status 200, \d+ bytes: GET \/\.env HTTP\/1\.1$/);
  assert.match(failure?.sent ?? '', /^GET \/\.env HTTP\/1\.1\\x0d\\x0aHost: localhost:/);
  assert.match(failure?.repeat ?? '', new RegExp(`^curl .*http://127\\.0\\.0\\.1:${port}/\\.env$`));
  const { latest, ...counts } = progress.at(-1) ?? assert.fail();
  assert.deepEqual(counts, { done: 4, total: 4, failed: 2 });
  const sent = report.results.map(({ id, ok, request }) => ({ id, ok, request }));
  assert.deepEqual(
    latest.toSorted((one, other) => one.id.localeCompare(other.id)),
    sent.toSorted((one, other) => one.id.localeCompare(other.id)),
  );
});

test('ends an interrupted probe set with the reason', async (t) => {
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(run(t, controller.signal), { name: 'AbortError' });
});

const many: ProbeSet = { probes: Array.from({ length: 30 }, () => probeSet.probes[0] as Probe), skipped: [] };

/** True when all connections of a server end although the mocked clock does not advance. */
async function allEnd(sockets: readonly Socket[]): Promise<boolean> {
  const areEnded = () => sockets.every((socket) => socket.resume().readableEnded || socket.destroyed);
  for (let turns = 0; turns < 10_000 && !areEnded(); turns += 1) await nextTurn();
  return areEnded();
}

test('an interruption ends the wait for a response', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [controller, sockets] = [new AbortController(), [] as Socket[]];
  const running = run(t, controller.signal, (context) => silentProxy(context, sockets), many);
  running.catch(() => {});
  while (sockets.length === 0) await nextTurn();
  controller.abort();
  assert.ok(await allEnd(sockets));
  await assert.rejects(running, { name: 'AbortError' });
});

test('stops after several probes when the proxy never responds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sockets: Socket[] = [];
  const running = run(t, undefined, (context) => silentProxy(context, sockets), many).then(
    () => undefined,
    (error: unknown) => error,
  );
  let error: unknown;
  // Each step of the mocked clock lets waiting probes time out and the next ones connect.
  for (
    const end = running.then((outcome) => (error = outcome));
    error === undefined;
    await Promise.race([end, nextTurn()])
  )
    t.mock.timers.tick(15_000);
  assert.ok(error instanceof ExternalError);
  assert.equal(error.message, 'the proxy does not respond: 10 probes timed out');
  assert.ok(await allEnd(sockets), 'no probe waits any longer');
});

test('stops after several requests that the upstream did not answer', async (t) => {
  await assert.rejects(run(t, undefined, gateway, many, false), {
    code: 'upstream_silent',
    message: 'the upstream does not answer: Caddy itself sent status 502 for 10 requests that the guard allowed',
  });
});

test('fails only the affected probes when the upstream misses a few requests', async (t) => {
  const { report } = await run(t, undefined, gateway, probeSet, false);
  const missed = report.results.find(({ id }) => id === 'specification:/app.css');
  assert.deepEqual(missed?.problems, ['the upstream does not answer: status 502 is from Caddy itself']);
});
