import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonFile } from '../../../contract/daemon/schema.ts';
import { clientOfPeer } from '../../address/client.ts';
import type { Served } from '../../admission/admission.ts';
import { ConnectionTable } from '../../admission/connection-table.ts';
import { compileRules } from '../../admission/rules.ts';
import { noCounts } from '../../stats/counts.ts';
import { configuration, guardedService } from '../../testing/daemon.ts';
import type { CountedMessage } from '../link/messages.ts';
import { CountedClients } from './counted-clients.ts';

const [client, other] = ['192.0.2.1', '192.0.2.2'].map((ip) => clientOfPeer({ ip, port: 1 }));

function setUp(limit: number, service = {}) {
  const file: DaemonFile = {
    global: { max_connections_per_ip: limit },
    services: { one: guardedService(9, service), two: guardedService(9) },
  };
  const rules = compileRules(configuration(file), {
    ownAddresses: [],
    connectionCeiling: Number.POSITIVE_INFINITY,
    guards: new Map(),
  });
  const connections = new ConnectionTable();
  const messages: CountedMessage[] = [];
  let reports: (() => void)[] = [];
  const settle = () => new Promise<void>((resolve) => void reports.push(resolve));
  const clients = new CountedClients({ connections, count: 2, post: (message) => void messages.push(message), settle });
  const servedOf = (name: string) => ({ service: rules.services.get(name), rules, counts: noCounts() }) as Served;
  const open = (of = client, name = 'one') => {
    const leave = connections.enter({ client: of as NonNullable<typeof of>, service: name, cut: () => {} });
    return clients.leaving(of as NonNullable<typeof of>, leave);
  };
  const openMany = (count: number) => Array.from({ length: count }, () => open());
  let decided = 0;
  const request = (of = client, name = 'one') => {
    const reports = clients.awaitReports(of as NonNullable<typeof of>, servedOf(name));
    if (reports) void reports.then(() => request(of, name));
    else decided += 1;
    return decided;
  };
  /** Lets the workers respond. */
  const respond = async () => {
    for (const report of reports) report();
    reports = [];
    await new Promise(setImmediate);
    return decided;
  };
  return { clients, rules, connections, messages, open, openMany, request, respond };
}

const counted = { kind: 'counted', keys: [client?.key] };

test('a client is counted before it can reach a limit with the shares of all workers', async () => {
  const { messages, openMany, request, respond } = setUp(8);
  openMany(3);
  assert.equal(request(), 1, 'the workers have at most two more each');
  assert.deepEqual(messages, []);
  openMany(1);
  assert.equal(request(), 1, 'waits for the workers');
  assert.equal(request(), 1);
  assert.deepEqual(messages, [counted]);
  assert.equal(await respond(), 3);
  assert.equal(request(), 4, 'the table has all connections');
  assert.equal(request(other), 5);
  assert.deepEqual(messages, [counted]);
});

test('a service has its own limit', () => {
  const { messages, open, request } = setUp(0, { max_connections_per_ip: 4 });
  for (let index = 0; index < 2; index += 1) open(client, 'two');
  request(client, 'two');
  request();
  assert.deepEqual(messages, []);
  for (let index = 0; index < 2; index += 1) open();
  request();
  assert.deepEqual(messages, [counted]);
});

test('workers admit a client again after its last connection', async () => {
  const { clients, messages, openMany, request, respond } = setUp(8);
  const [last, ...others] = openMany(4);
  request();
  await respond();
  for (const end of others) end();
  assert.deepEqual(clients.keys(), [client?.key]);
  last?.();
  assert.deepEqual(messages, [counted, { kind: 'uncounted', key: client?.key }]);
  assert.deepEqual(clients.keys(), []);
});

test('a client whose connections end while the workers report them is not counted', async () => {
  const { clients, openMany, request, respond } = setUp(8);
  const ends = openMany(4);
  request();
  for (const end of ends) end();
  assert.equal(await respond(), 1);
  assert.deepEqual(clients.keys(), []);
});

test('connections that workers report count, too', () => {
  const { clients, rules, messages, openMany } = setUp(8);
  openMany(4);
  clients.entered(client as NonNullable<typeof client>, 'one');
  assert.deepEqual(messages, [], 'no rules are in force');
  clients.apply(rules);
  assert.deepEqual(messages, [counted]);
});

test('a limit without shares is exact without reports', () => {
  const { messages, openMany, request } = setUp(3);
  openMany(3);
  assert.equal(request(), 1);
  assert.deepEqual(messages, []);
});
