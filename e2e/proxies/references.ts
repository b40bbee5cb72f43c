/** Under load, a response shows exactly the reference of its event. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import { marker } from '../../cli/probes/request-bytes.ts';
import { limits } from '../../contract/policy/limits.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { until } from '../../platform/testing/until.ts';
import type { Served } from './policies.ts';
import type { Section } from './wire/sections.ts';

const [addresses, requests, connections] = [200, 4 * limits.eventsPerSecond, 64];

/** Number of the first request, which is higher than the numbers of probe sets in the same container. */
const firstIndex = 900_000;

/** Returns undefined when the response shows no reference. */
async function referenceOf(port: number, agent: Agent, index: number): Promise<string | undefined> {
  const headers = { 'User-Agent': marker(firstIndex + index), 'X-Forwarded-For': `198.51.100.${index % addresses}` };
  const request = get({ host: '127.0.0.1', port, path: '/.env', agent, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = (await response.setEncoding('utf8').toArray()).join('');
  assert.equal(response.statusCode, 403);
  const { reference } = (JSON.parse(body) as { error: { reference?: string } }).error;
  assert.equal(response.headers['x-guard-reference'], reference);
  return reference;
}

async function flood(port: number): Promise<readonly (string | undefined)[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const shown: (string | undefined)[] = [];
  let next = 0;
  const client = async () => {
    for (let index = next++; index < requests; index = next++) shown[index] = await referenceOf(port, agent, index);
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return shown;
}

async function run(t: TestContext, [site]: readonly Served[]): Promise<void> {
  const { port, events } = site as Served;
  const shown = await flood(port);
  const indexes = [...shown.keys()];
  const referenced = indexes.filter((index) => shown[index] !== undefined);
  const eventOf = (index: number) => events.of(firstIndex + index)[0];
  await until(() => referenced.every((index) => eventOf(index)), 'the event of each reference');
  for (const index of indexes) assert.equal(eventOf(index)?.reference, shown[index]);
  assert.equal(new Set(referenced.map((index) => shown[index])).size, referenced.length);
  assert.ok(referenced.length >= addresses, `${referenced.length} references`);
  t.diagnostic(`${referenced.length} of ${requests} responses show a reference`);
}

export const referenceSection = (_: TestContext, peer: string): Section => ({
  policies: [Policy.parse({ trustedProxies: [peer], response: { mode: 'json' } })],
  run,
});
