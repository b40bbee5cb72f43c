import assert from 'node:assert/strict';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../platform/until.ts';
import { geoDatabase } from '../geo/testing.ts';
import { bytesOf, echo, guarded, received, start, temporaryFolder, upstream } from '../testing/daemon.ts';
import { workersOf } from './testing.ts';

const [denied, other] = ['8.8.8.8', '192.0.2.9'];

for (const [what, spoil] of [
  ['was removed', (path: string) => rmSync(path)],
  ['was damaged', (path: string) => writeFileSync(path, 'not a database')],
] as const)
  test(`a worker that is restarted after the GeoIP database ${what} serves, and refuses denied countries`, async (t) => {
    const { port } = await upstream(t, echo);
    const geoip_db = join(temporaryFolder(), 'geo.mmdb');
    copyFileSync(geoDatabase, geoip_db);
    const one = guarded(port, {
      proxy_protocol: { accept_from: ['127.0.0.0/8'] },
      geo_block: { deny_countries: ['US'] },
    });
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
      socket.write(`PROXY TCP4 ${ip} 192.0.2.1 4000 22\r\nx`);
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
