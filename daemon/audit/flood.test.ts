/**
 * The memory of the flood guard. It keeps the last event of each client. The facts of that event are substrings of a
 * received chunk, which must not stay in memory with them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { usedMemory } from '../../platform/testing/used-memory.ts';
import { inspectors } from '../inspectors/index.ts';
import { serviceOf } from '../inspectors/testing/vectors.ts';
import { Inspection } from '../session/inspection.ts';
import type { AuditEvent } from './event.ts';
import { createFloodGuard } from './flood.ts';

const { auditFloodFirst, factBytes } = daemonBounds;
const clients = 500;
/** Room for one fact, at two bytes a character, and for the objects of an event and of its sum. */
const bound = 2 * factBytes + 1536;
const service = serviceOf('smtp');

/** The facts of a client that sends a name of 12,000 characters. A fact contains only the start of the name. */
function factsOf(client: string, name: string): Readonly<Record<string, string>> {
  const context = { service, client, guard: undefined };
  const handlers = { login: () => {}, fault: (error: unknown) => assert.fail(error as Error) };
  const inspection = new Inspection(inspectors.smtp.open(context), handlers);
  inspection.inspect('client', Buffer.from(`EHLO ${name.padEnd(12_000, 'x')}\r\n`));
  const facts = inspection.facts();
  assert.equal(facts?.helo?.length, factBytes);
  return facts;
}

function refusal(client: string, name: string): AuditEvent {
  return {
    type: 'security_event',
    timestamp: '2026-01-01T00:00:00.000Z',
    service: 'mail',
    protocol: 'smtp',
    client_ip: client,
    client_port: 4000,
    country_code: '',
    action: 'blocked',
    reason: 'helo',
    bytes_in: 1,
    bytes_out: 2,
    duration_ms: 3,
    facts: factsOf(client, name),
  };
}

test('the summaries of a flood keep the facts of one event of each client, without the bytes they come from', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const passed: AuditEvent[] = [];
  const flood = createFloodGuard((event) => event.count !== undefined && passed.push(event));
  const more = 5;
  const send = (index: number) => {
    const client = `10.0.${index >> 8}.${index & 255}`;
    for (let number = 0; number < auditFloodFirst + more; number++) flood.add(refusal(client, `${index}-${number}-`));
  };
  send(clients); // allocates what all clients share
  const before = await usedMemory();
  for (let index = 0; index < clients; index++) send(index);
  const each = ((await usedMemory()) - before) / clients;
  flood.close();
  assert.deepEqual(passed.map(({ count, facts }) => [count, facts?.helo?.slice(0, 8)]).at(-1), [more, '499-14-x']);
  assert.ok(each <= bound, `${Math.round(each)} bytes a client, and ${bound} are allowed`);
});
