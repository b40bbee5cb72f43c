import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { DaemonFile } from '../../../contract/daemon/schema.ts';
import { until } from '../../../platform/testing/until.ts';
import { clientOfPeer } from '../../address/client.ts';
import type { Served } from '../../admission/admission.ts';
import { ConnectionTable } from '../../admission/connection-table.ts';
import { compileRules } from '../../admission/rules.ts';
import { noCounts } from '../../stats/counts.ts';
import { configuration, guardedService } from '../../testing/daemon.ts';
import type { CapacityMessage } from '../link/messages.ts';
import { Allowance } from '../worker/allowance.ts';
import { type AllowedWorker, Capacity } from './capacity.ts';

const open = (service: string, ip: string) => ({ client: clientOfPeer({ ip, port: 1 }), service, cut: () => {} });

/** A worker with its allowance, in the process of the test. */
class Worker implements AllowedWorker {
  readonly allowance = new Allowance();
  readonly messages: CapacityMessage[] = [];
  readonly #connections: ConnectionTable;
  allowedConnections = 0;
  occupiedSlots = 0;
  /** Delays the response to an order, as a hung worker does. */
  responds: Promise<void> = Promise.resolve();

  constructor(connections: ConnectionTable) {
    this.#connections = connections;
  }

  post = (message: CapacityMessage) => {
    this.messages.push(message);
    this.allowance.apply(message);
  };

  order = async () => {
    await this.responds;
    this.allowance.withdraw((connection) => this.#connections.enter(connection));
  };
}

function setUp(file: DaemonFile, workers = 2, ceiling = () => Number.POSITIVE_INFINITY) {
  const connections = new ConnectionTable();
  const all = Array.from({ length: workers }, () => new Worker(connections));
  const rules = compileRules(configuration(file), {
    ownAddresses: [],
    connectionCeiling: Number.POSITIVE_INFINITY,
    guards: new Map(),
  });
  const capacity = new Capacity({ connections, workers: () => all, count: workers, ceiling });
  const servedOf = (name = 'one') => ({ service: rules.services.get(name), rules, counts: noCounts() }) as Served;
  const lackOf = (worker: Worker, service?: string) =>
    new Promise((resolve) => capacity.checkLimit(servedOf(service), worker, resolve));
  return { connections, workers: all as [Worker, Worker], rules, capacity, lackOf };
}

/** Opens connections in a worker until it has no slot. Returns their number. */
function fill(worker: Worker, capacity: Capacity): number {
  let count = 0;
  for (; worker.allowance.isFree('one'); count += 1) {
    worker.allowance.enter(open('one', '192.0.2.1'));
    if (worker.allowance.isSpent()) capacity.onSpent(worker, worker.allowance.most);
  }
  return count;
}

const limited = (max_connections: number): DaemonFile => ({
  global: { max_connections },
  services: { one: guardedService(9) },
});

test('a quarter of the slots is divided among the workers, and the others are requested', async () => {
  const { workers, rules, capacity } = setUp(limited(80));
  capacity.apply(rules);
  assert.deepEqual(
    workers.map(({ allowedConnections: allowed }) => allowed),
    [10, 10],
  );
  const [{ allowance }] = workers;
  const ends = Array.from({ length: 10 }, (_, index) => allowance.enter(open('one', `192.0.2.${index}`)));
  assert.equal(allowance.isFree('one'), false);
  ends[0]?.();
  assert.equal(allowance.isFree('one'), true);
  assert.equal(allowance.isFree('two'), false);
});

test('connections of a service with a rate, a limit without shares for each client, or few slots are requested', async () => {
  const services = {
    one: guardedService(9),
    clients: guardedService(9, { max_connections_per_ip: 3 }),
    shared: guardedService(9, { max_connections_per_ip: 4 }),
    rate: guardedService(9, { rate_limit: { connections_per_minute: 3, burst: 1 } }),
    few: guardedService(9, { max_connections: 3 }),
  };
  const { workers, rules, capacity } = setUp({ global: { max_connections: 80 }, services });
  capacity.apply(rules);
  const free = Object.keys(services).filter((name) => workers[0].allowance.isFree(name));
  assert.deepEqual(free, ['one', 'shared']);
});

test('a limit is reached exactly, although workers have unused slots', async () => {
  const { connections, workers, rules, capacity, lackOf } = setUp(limited(80));
  const [first, second] = workers;
  capacity.apply(rules);
  for (let index = 0; index < 7; index += 1) second.allowance.enter(open('one', '192.0.2.1'));
  let admitted = 7;
  while ((await lackOf(first)) === undefined) {
    connections.enter(open('one', '192.0.2.2'));
    admitted += 1;
  }
  assert.equal(admitted, 80);
  assert.equal(connections.size(), 80, 'the coordinator knows every connection');
  assert.deepEqual([first.allowedConnections, second.allowedConnections], [0, 0]);
  await turn();
  assert.equal(first.allowance.reachedLimit('one'), 'capacity');
});

test('a connection that was admitted without a request is counted until it ends, and ended by a ban', async () => {
  const { connections, workers, rules, capacity } = setUp(limited(80));
  const [{ allowance }] = workers;
  capacity.apply(rules);
  const reasons: string[] = [];
  const cut = (reason: string) => reasons.push(reason);
  const leave = allowance.enter({ ...open('one', '192.0.2.1'), cut });
  assert.deepEqual(allowance.counts(), { one: 1 });
  await capacity.suspend();
  assert.deepEqual([connections.activeOn('one'), allowance.counts()], [1, {}]);
  allowance.cutCovered('192.0.2.0/24', () => false);
  assert.deepEqual(reasons, ['ban']);
  leave();
  assert.equal(connections.size(), 0);
});

test('reads the descriptor limit when rules are applied, and for no connection', async () => {
  let reads = 0;
  let most = 3;
  const { workers, rules, capacity, lackOf } = setUp(limited(80), 2, () => {
    reads += 1;
    return most;
  });
  capacity.apply(rules);
  const before = reads;
  const [first] = workers;
  first.occupiedSlots = 2;
  for (let index = 0; index < 5; index += 1) assert.equal(await lackOf(first), undefined);
  assert.equal(reads, before);
  first.occupiedSlots = 3;
  assert.equal(await lackOf(first), 'capacity');
  most = 4;
  capacity.apply(rules);
  assert.equal(await lackOf(first), undefined);
});

test('connections of a client that the coordinator counts stay a part of the allowance, and are reported once', () => {
  const { connections, workers, rules, capacity } = setUp(limited(80));
  const [{ allowance }] = workers;
  capacity.apply(rules);
  const report = (connection: Parameters<ConnectionTable['enter']>[0]) => connections.enter(connection);
  const [first] = ['192.0.2.1', '192.0.2.1', '192.0.2.2'].map((ip) => allowance.enter(open('one', ip)));
  for (let times = 0; times < 2; times += 1) allowance.reportClient('192.0.2.1', report);
  assert.deepEqual([connections.size(), allowance.counts()], [2, { one: 1 }]);
  assert.equal(allowance.countOf(clientOfPeer({ ip: '192.0.2.1', port: 1 })), 2);
  for (let index = 3; index < 10; index += 1) allowance.enter(open('one', '192.0.2.3'));
  assert.equal(allowance.isFree('one'), false);
  first?.();
  assert.deepEqual([connections.size(), allowance.isFree('one')], [1, true]);
  allowance.withdraw(report);
  assert.equal(connections.size(), 9);
});

test('counts connections of a service whose name is that of a member of every object', () => {
  const allowance = new Allowance();
  for (const ip of ['192.0.2.1', '192.0.2.2']) allowance.enter(open('constructor', ip));
  assert.deepEqual(Object.entries(allowance.counts()), [['constructor', 2]]);
});

test('slots of a worker that does not return them stay occupied, and requests are decided after a second', async () => {
  const { connections, workers, rules, capacity, lackOf } = setUp(limited(80));
  const [first, second] = workers;
  capacity.apply(rules);
  const hung = Promise.withResolvers<void>();
  second.responds = hung.promise;
  for (let index = 0; index < 60; index += 1) connections.enter(open('one', '192.0.2.2'));
  assert.equal(await lackOf(first), undefined, 'the first worker has returned its slots');
  for (let index = 60; index < 70; index += 1) connections.enter(open('one', '192.0.2.2'));
  assert.equal(await lackOf(first), 'capacity');
  hung.resolve();
  await until(() => second.allowedConnections === 0);
  assert.equal(await lackOf(first), undefined);
});

test('a worker whose slots are occupied by long connections gets more, and reports none of them', () => {
  const { connections, workers, rules, capacity } = setUp(limited(80));
  const [first, second] = workers;
  capacity.apply(rules);
  assert.equal(fill(first, capacity), 50, 'three quarters of the limit, without the slots of the other worker');
  assert.deepEqual([connections.size(), first.allowedConnections, second.allowedConnections], [0, 50, 10]);
  for (const used of [10, 50]) capacity.onSpent(first, used);
  assert.equal(first.allowedConnections, 50, 'a late message gives no slots twice, and no slot is left');
});

test('one worker gets all slots, and reports its connections when a limit is reached', async () => {
  const { connections, workers, rules, capacity, lackOf } = setUp(limited(80), 1);
  const [only] = workers;
  capacity.apply(rules);
  assert.equal(fill(only, capacity), 80);
  assert.equal(connections.size(), 0);
  assert.equal(await lackOf(only), 'capacity');
  assert.deepEqual([connections.size(), only.allowedConnections], [80, 0]);
});

test('one worker gets no slots of connections in a tarpit, which it takes without a request', () => {
  const service = { ...guardedService(9), response: { mode: 'tarpit' as const } };
  const { workers, rules, capacity } = setUp({ global: { max_connections: 80 }, services: { one: service } }, 1);
  const [only] = workers;
  capacity.apply(rules);
  assert.equal(fill(only, capacity), 60);
});

test('a worker gets no more slots than its descriptor limit allows', () => {
  const { workers, rules, capacity } = setUp(limited(80), 2, () => 24);
  const [first] = workers;
  capacity.apply(rules);
  first.occupiedSlots = 10;
  assert.equal(fill(first, capacity), 12, 'two times 6 slots');
});

test('a worker that returns its slots gets none meanwhile', async () => {
  const { workers, rules, capacity } = setUp(limited(80));
  const [first] = workers;
  capacity.apply(rules);
  const suspended = capacity.suspend();
  capacity.onSpent(first, 10);
  await suspended;
  assert.equal(first.allowedConnections, 0);
});
