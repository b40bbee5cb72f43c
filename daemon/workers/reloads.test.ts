/** Reloads with several workers. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { freePort, freePorts } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { isEchoed, startChangeable } from '../testing/changeable.ts';
import { echo, guardedService, startUpstream } from '../testing/daemon.ts';
import { dialData, ftpClient, ftpServer } from '../testing/ftp.ts';
import { changeableWorkers, client, countEchoed, dialMany, enoughConnections } from '../testing/workers.ts';
import { inTime } from './testing/workers.ts';

test('a reload reaches all workers and keeps connections', async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await changeableWorkers(t, { services: { one: guardedService(port), gone: guardedService(port) } });
  const { daemon, write, dial } = started;
  const sockets = [...dialMany(started), dial('gone')];
  assert.equal(await countEchoed(sockets), sockets.length);
  const [before] = daemon.services();
  const closed = { ip_filter: { deny: [client] } };
  write({ services: { one: guardedService(port, closed), new: guardedService(port) } });
  assert.equal((await daemon.reload('a test')).ok, true);
  assert.equal(daemon.services()[0]?.listen, before?.listen);
  assert.equal(await countEchoed(sockets), sockets.length);
  assert.equal(await countEchoed(dialMany(started)), 0);
  assert.equal(await countEchoed(dialMany(started, 'new')), enoughConnections);
});

test('connections from before a reload count for its limits', async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await changeableWorkers(t, { services: { one: guardedService(port) } });
  const { daemon, write } = started;
  await inTime(daemon.refreshCounts); // the workers have slots now
  assert.equal(await countEchoed(dialMany(started, 'one', 7)), 7);
  write({ services: { one: guardedService(port, { max_connections_per_ip: 8 }) } });
  assert.equal((await daemon.reload('a test')).ok, true);
  assert.equal(await countEchoed(dialMany(started)), 1);
});

test('a reload that fails changes nothing in any worker', async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await changeableWorkers(t, { services: { one: guardedService(port) } });
  const { daemon, write, folder } = started;
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await until(() => other.listening);
  const taken = `127.0.0.1:${(other.address() as { port: number }).port}`;
  const closed = guardedService(port, { ip_filter: { deny: [client] } });
  write({ services: { one: closed, two: guardedService(port, { listen: taken }) } });
  const refused = await daemon.reload('a test');
  assert.match(JSON.stringify(refused), /services\.two\.listen.*EADDRINUSE/);
  assert.equal(await countEchoed(dialMany(started)), enoughConnections);
  writeFileSync(join(folder, 'guard.json'), '{"blockPatterns": 7}');
  write({ services: { one: closed, two: guardedService(port, { protocol: 'http', http: { policy: 'guard.json' } }) } });
  assert.match(JSON.stringify(await daemon.reload('a test')), /services\.two\.http\.policy/);
  assert.equal(await countEchoed(dialMany(started)), enoughConnections);
});

test('a closed port that a refused reload made a service stays closed in every worker', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { port: taken } = await startUpstream(t, echo);
  const scanned = await freePort();
  const closed = `127.0.0.1:${scanned}`;
  const started = await changeableWorkers(t, {
    port_scan: { listen: [closed], threshold: 2 * enoughConnections },
    services: { one: guardedService(port) },
  });
  const { daemon, write, dial } = started;
  write({
    services: {
      one: guardedService(port, { listen: closed }),
      two: guardedService(port, { listen: `127.0.0.1:${taken}` }),
    },
  });
  assert.match(JSON.stringify(await daemon.reload('a test')), /services\.two\.listen.*EADDRINUSE/);
  await inTime(daemon.refreshCounts); // the workers have slots again
  const probes = Array.from({ length: enoughConnections }, () => dial('one', { port: scanned, localAddress: client }));
  assert.equal(await countEchoed(probes), 0);
  assert.equal(await countEchoed(dialMany(started)), enoughConnections);
});

test('a ban after a refused reload spares clients in never_ban of the current configuration', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { port: occupied } = await startUpstream(t, echo);
  const exempt = '127.0.0.8';
  const services = { one: guardedService(port) };
  const started = await changeableWorkers(t, { global: { never_ban: [exempt] }, services });
  const { daemon, write, dial } = started;
  const two = guardedService(port, { listen: `127.0.0.1:${occupied}` });
  write({ global: { never_ban: [client] }, services: { ...services, two } });
  assert.match(JSON.stringify(await daemon.reload('a test')), /services\.two\.listen.*EADDRINUSE/);
  await inTime(daemon.refreshCounts); // the workers have slots again
  const banned = dialMany(started);
  const spared = Array.from({ length: enoughConnections }, () => dial('one', { localAddress: exempt }));
  assert.equal(await countEchoed([...banned, ...spared]), 2 * enoughConnections);
  await inTime(() => daemon.bans.add({ ip: '127.0.0.0/24', reason: 'test', origin: 'api' }));
  assert.deepEqual([await countEchoed(banned), await countEchoed(spared)], [0, enoughConnections]);
});

/** What a reload does to an FTP service. `old`: the port that it listened on. */
const changes: Readonly<Record<string, (old: number, other: number, ftp: Guarded) => DaemonFile>> = {
  'listens on another port': (_old, other, ftp) => ({ services: { ftp: { ...ftp, listen: `127.0.0.1:${other}` } } }),
  'is removed': () => ({ services: {} }),
  'leaves its port to another service': (old) => ({
    services: { other: guardedService(1, { listen: `127.0.0.1:${old}`, ip_filter: { deny: [client] } }) },
  }),
  'becomes a closed port': (old) => ({ services: {}, port_scan: { listen: [`127.0.0.1:${old}`], threshold: 1 } }),
};

type Guarded = ReturnType<typeof guardedService>;

/** Opens an FTP session. The returned `change` writes a file that changes its service. */
async function ftpSession(t: TestContext, workers: number, change: keyof typeof changes) {
  const server = await ftpServer(t);
  const [old = 0, other = 0, data = 0] = await freePorts(3);
  const ftp = guardedService(server.port, {
    listen: `127.0.0.1:${old}`,
    protocol: 'ftp',
    ftp: { passive: { ports: `${data}-${data}` } },
    max_connections_per_ip: 3, // workers have no share of so small a limit, and request every decision
  });
  const global = { workers };
  const { write, ...started } = await startChangeable(t, { global, services: { ftp } });
  const session = await ftpClient(started.dial, { localAddress: client });
  return { ...started, session, change: () => write({ global, ...changes[change]?.(old, other, ftp) }) };
}

for (const change of Object.keys(changes))
  for (const workers of [1, 2])
    test(`an open FTP session transfers files after a reload in which its service ${change}, with workers: ${workers}`, async (t) => {
      const { daemon, session, event, change: write } = await ftpSession(t, workers, change);
      write();
      assert.equal((await daemon.reload('a test')).ok, true);
      for (let transfer = 0; transfer < 2; transfer += 1) {
        const data = dialData((await session.passive('EPSV')).port, client);
        assert.equal(await isEchoed(data), true);
        data.end();
      }
      const { service, action } = await event(({ reason }) => reason === 'data_closed');
      assert.deepEqual([service, action], ['ftp', 'allowed']);
      assert.equal(daemon.bans.count(), 0);
    });
