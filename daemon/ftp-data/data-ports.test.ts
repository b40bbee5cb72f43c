import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { freePort, freeRow, listenError } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { createNetPlane } from '../plane/net/plane.ts';
import { DataPorts, type OpenedPort } from './data-ports.ts';

const host = '127.0.0.1';
const minute = 60_000;

/** The data ports of a process. They are closed after the test. */
function dataPorts(t: TestContext, timeoutMs = minute, processCount = 1) {
  const faults: string[] = [];
  const closed: number[] = [];
  const ports = new DataPorts(createNetPlane(), (message) => faults.push(message), processCount, timeoutMs);
  const open = (first: number, last = first, key = 'client', at = host): OpenedPort => {
    const opened = ports.open({
      ...{ host: at, key, ports: { first, last } },
      accept: () => {},
      closed: () => closed.push(opened.ok ? opened.port : 0),
    });
    t.after(() => opened.ok && opened.close());
    return opened;
  };
  return { open, faults, closed };
}

const portOf = (opened: OpenedPort): number => (opened.ok ? opened.port : 0);
const noPort = { ok: false, why: 'no_free_port' };

test('processes share a range, and each port of it is open once', async (t) => {
  const first = await freeRow(4);
  const processes = [dataPorts(t), dataPorts(t)];
  const opened = [0, 1, 0, 1].map(
    (index, client) => processes[index]?.open(first, first + 3, `client ${client}`) as OpenedPort,
  );
  assert.deepEqual(opened.map(portOf).sort(), [first, first + 1, first + 2, first + 3]);
  for (const { open } of processes) assert.deepEqual(open(first, first + 3, 'another client'), noPort);
  const [released] = opened;
  if (released?.ok) released.close();
  assert.equal(portOf(processes[1]?.open(first, first + 3, 'a') as OpenedPort), portOf(released as OpenedPort));
});

test('a port without a client is closed after a time, once', async (t) => {
  const { open, closed } = dataPorts(t, 20);
  const port = await freePort();
  const opened = open(port);
  assert.equal(portOf(opened), port);
  await until(() => closed.length > 0, 'the port to be closed');
  if (opened.ok) opened.close();
  assert.deepEqual(closed, [port]);
  assert.equal(await listenError(port, host), undefined);
});

test('a port that is closed twice stays open for the client that got it meanwhile', async (t) => {
  const { open, closed } = dataPorts(t);
  const port = await freePort();
  const first = open(port);
  assert.ok(first.ok);
  first.close();
  const next = open(port, port, 'another client');
  assert.ok(next.ok);
  first.close();
  assert.deepEqual(open(port), noPort);
  next.close();
  assert.deepEqual(closed, [port, port]);
  assert.equal(await listenError(port, host), undefined);
});

/** In a range of `size` ports, one client gets only `most` at a time, and another one still gets one. */
async function checkShare(t: TestContext, size: number, most: number, processCount = 1): Promise<void> {
  const first = await freeRow(size);
  const last = first + size - 1;
  const { open } = dataPorts(t, minute, processCount);
  const opened = Array.from({ length: most }, () => open(first, last));
  assert.ok(opened.every(({ ok }) => ok));
  assert.deepEqual(open(first, last), { ok: false, why: 'too_many_ports' });
  assert.ok(open(first, last, 'another client').ok);
  if (opened[0]?.ok) opened[0].close();
  assert.ok(open(first, last).ok);
}

test('a client has a share of a small range', (t) => checkShare(t, 10, 3));

test('a client has a bounded number of ports of a large range', (t) =>
  checkShare(t, 70, daemonBounds.ftpDataPortsPerClient));

test('processes divide the share of a client', (t) => checkShare(t, 10, 1, 4));

test('skips ports that other programs use', async (t) => {
  const first = await freeRow(2);
  const server = createServer().listen(first, host);
  await once(server, 'listening');
  t.after(() => server.close());
  const { open, faults } = dataPorts(t);
  for (let round = 0; round < 20; round += 1) {
    const opened = open(first, first + 1); // starts anywhere in the range
    assert.equal(portOf(opened), first + 1);
    if (opened.ok) opened.close();
  }
  assert.deepEqual(open(first), noPort);
  assert.deepEqual(faults, []);
});

test('reports why it cannot listen at all', async (t) => {
  const { open, faults } = dataPorts(t);
  assert.deepEqual(open(await freePort(), undefined, 'client', '192.0.2.1'), noPort);
  assert.match(faults.join(), /^cannot listen for an FTP data connection: .*EADDRNOTAVAIL/);
});
