import assert from 'node:assert/strict';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { geoDatabase } from '../geo/testing/geo.ts';
import { startChangeable } from '../testing/changeable.ts';
import { bytesOf, echo, guardedService, received, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { workersOf } from './testing/workers.ts';

const [denied, other] = ['8.8.8.8', '192.0.2.9'];
const denying = { proxy_protocol: { accept_from: ['127.0.0.0/8'] }, geo_block: { deny_countries: ['US'] } };
const headerOf = (ip: string) => `PROXY TCP4 ${ip} 192.0.2.1 4000 22\r\nx`;

for (const [what, spoil] of [
  ['was removed', (path: string) => rmSync(path)],
  ['was damaged', (path: string) => writeFileSync(path, 'not a database')],
] as const)
  test(`a worker that is restarted after the GeoIP database ${what} serves, and refuses denied countries`, async (t) => {
    const { port } = await startUpstream(t, echo);
    const geoip_db = join(temporaryFolder(), 'geo.mmdb');
    copyFileSync(geoDatabase, geoip_db);
    const one = guardedService(port, denying);
    const { daemon, dial, events } = await start(t, { global: { workers: 2, geoip_db }, services: { one } });
    spoil(geoip_db);
    const pids = workersOf(process.pid);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until(() => daemon.tables().workers?.entries === 0);
    await until(
      () => daemon.tables().workers?.entries === 2,
      () => daemon.problems().join(),
    );
    const isServed = async (ip: string) => {
      const socket = dial('one');
      socket.write(headerOf(ip));
      const served = await Promise.race([bytesOf(socket, 1).then(() => true), received(socket).then(() => false)]);
      socket.destroy();
      return served;
    };
    for (let index = 0; index < 12; index++) {
      assert.equal(await isServed(denied), false);
      assert.equal(await isServed(other), true);
    }
    assert.ok(events.some(({ reason, client_ip }) => reason === 'geo' && client_ip === denied));
  });

const many = 80;

/** Connects from a denied country until `work` is done. Resolves with the number of upstream connections. */
async function servedDuring(
  t: TestContext,
  work: (services: NonNullable<DaemonFile['services']>) => Promise<unknown>,
): Promise<number> {
  let served = 0;
  const { port } = await startUpstream(t, (socket) => {
    served += 1;
    socket.end();
  });
  const first = await freePort();
  const others = Array.from({ length: many }, (_, index) => [`other${index}`, guardedService(port)]);
  const one = guardedService(port, { ...denying, listen: `127.0.0.1:${first}` });
  let isDone = false;
  const done = work({ one, ...Object.fromEntries(others) }).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const socket = connect(first, '127.0.0.1').on('error', () => {});
    socket.write(headerOf(denied));
    await received(socket);
    socket.destroy();
  }
  await done;
  return served;
}

test('refuses a denied country from the first of many services on that listens', async (t) => {
  const global = { workers: 2, geoip_db: geoDatabase };
  assert.equal(await servedDuring(t, (services) => start(t, { global, services })), 0);
});

test('refuses a denied country at the new services of a reload that adds the database', async (t) => {
  const { daemon, write } = await startChangeable(t, { global: { workers: 2 }, services: {} });
  const served = await servedDuring(t, (services) => {
    write({ global: { workers: 2, geoip_db: geoDatabase }, services });
    return daemon.reload('a test');
  });
  assert.equal(served, 0);
});
