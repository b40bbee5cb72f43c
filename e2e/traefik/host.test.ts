/** Compares the model of Traefik in engine/hosts with the target that a backend gets. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import limit from 'p-limit';
import { knownTargets } from '../../conformance/differential/known.ts';
import { createRandom } from '../../conformance/differential/random.ts';
import { randomTarget } from '../../conformance/differential/targets.ts';
import { asSent } from '../../engine/hosts/received.ts';
import { receives } from '../../engine/hosts/traefik.ts';
import { until } from '../../platform/testing/until.ts';
import { listen } from '../support/listen.ts';
import { routeWithGuards, startTraefik } from './process.ts';

const seed = Number(process.env.GUARD_SEED ?? 1);
const count = Number(process.env.GUARD_TARGETS ?? 20_000);
const width = 32;
const shownDifferences = 10;

/** Starts a server that responds with the target in hexadecimal. */
async function targetEcho(t: TestContext): Promise<string> {
  const server = createServer((socket) => {
    let head = '';
    socket.on('error', () => {});
    socket.setEncoding('latin1').on('data', (text: string) => {
      head += text;
      if (!head.includes('\r\n\r\n')) return;
      const line = head.slice(0, head.indexOf('\r\n'));
      const body = Buffer.from(line.slice(line.indexOf(' ') + 1, line.lastIndexOf(' ')), 'latin1').toString('hex');
      head = '';
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}

/** Returns the target that the backend received, or the status of a refusal. */
async function sent(port: number, target: string): Promise<string | number> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n\r\n`, 'latin1');
  // The server resets after an early refusal, or does not listen yet.
  await once(socket, 'close').catch(() => undefined);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return status === 200 ? Buffer.from(body, 'hex').toString('latin1') : status;
}

test('the model says what Traefik does', async (t) => {
  const { port } = await startTraefik(t, routeWithGuards(await targetEcho(t), {}));
  await until(async () => (await sent(port, '/')) === '/', 'Traefik to serve');
  const random = createRandom(seed);
  const known = knownTargets();
  /** Random targets without LF and space, which would end the target. */
  const targets = Array.from({ length: count }, () => randomTarget(random, known).replaceAll(/[\n ]/g, ''));
  const differences: string[] = [];
  let passed = 0;
  await limit(width).map(targets, async (target) => {
    const model = receives(asSent({ target }));
    const expected = model.kind === 'refused' ? model.status : model.backend;
    const real = await sent(port, target);
    if (typeof real === 'string') passed += 1;
    if (real !== expected && differences.length < shownDifferences)
      differences.push(JSON.stringify({ target, expected, real }));
  });
  t.diagnostic(`${count} targets, seed ${seed}, ${passed} passed on`);
  assert.deepEqual(differences, []);
  assert.ok(passed > count / 10);
});
