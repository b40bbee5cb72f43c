import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { Compose } from '../../compose/compose.ts';
import { waitUntilReady } from './health.ts';
import { readSettings } from './settings.ts';

/** Starts a service that responds with each status once, and then always with the last one. */
async function serviceWith(t: TestContext, ...statuses: readonly number[]): Promise<number> {
  let count = 0;
  const server = createServer((_, response) => {
    response.writeHead(statuses[Math.min(count, statuses.length - 1)] ?? 200).end();
    count += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function all<T>(steps: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const step of steps) list.push(step);
  return list;
}

const settings = readSettings('/nowhere/stack', {});
const compose = { containers: async () => [] } as unknown as Compose;
const never = new AbortController().signal;

describe('waiting for the services', () => {
  it('reports what is not ready, each time that it changes', async (t) => {
    const loki = await serviceWith(t, 503, 503, 503, 200);
    const collectorHealth = await serviceWith(t, 503, 200);
    const both = { ...settings, ports: { ...settings.ports, loki, collectorHealth } };
    const reported = await all(waitUntilReady(compose, ['loki', 'collector'], both, never));
    assert.deepEqual(reported, [['loki', 'collector'], ['loki']]);
  });

  it('reports nothing where all are ready', async (t) => {
    const ready = { ...settings, ports: { ...settings.ports, loki: await serviceWith(t, 200) } };
    assert.deepEqual(await all(waitUntilReady(compose, ['loki'], ready, never)), []);
  });

  it('ends with an interruption', async (t) => {
    const controller = new AbortController();
    const starting = { ...settings, ports: { ...settings.ports, loki: await serviceWith(t, 503) } };
    const waiting = waitUntilReady(compose, ['loki'], starting, controller.signal);
    assert.deepEqual((await waiting.next()).value, ['loki']);
    controller.abort(new Error('stop'));
    await assert.rejects(waiting.next(), (error: Error) => error.name === 'AbortError' || error.message === 'stop');
  });
});
