import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { fakeLapi, jsonReply } from '../feed/testing/fake-lapi.ts';
import { createGeo } from '../geo/index.ts';
import { geoDatabase } from '../geo/testing/geo.ts';
import { isEchoed, startChangeable } from '../testing/changeable.ts';
import {
  configuration,
  echo,
  guardedService,
  received,
  start,
  startUpstream,
  temporaryFolder,
} from '../testing/daemon.ts';

test('a reload applies what changed and keeps every connection', async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = { kept: guardedService(port), gone: guardedService(port), changed: guardedService(port) };
  const { daemon, dial, write } = await startChangeable(t, { services });
  const sockets = Object.keys(services).map((name) => dial(name));
  for (const socket of sockets) assert.equal(await isEchoed(socket), true);
  const [before] = daemon.services();
  const changed = guardedService(port, { ip_filter: { deny: ['127.0.0.1'] } });
  write({ services: { kept: guardedService(port), changed, added: guardedService(port) } });
  const outcome = await daemon.reload('a test');
  assert.deepEqual(outcome, {
    ok: true,
    changed: ['services.gone', 'services.changed', 'services.added'],
    restart: [],
    problems: [],
  });
  for (const socket of sockets) assert.equal(await isEchoed(socket), true, 'open connections continue');
  assert.equal(daemon.services()[0]?.listen, before?.listen);
  assert.deepEqual(
    daemon.services().map(({ name }) => name),
    ['kept', 'changed', 'added'],
  );
  assert.equal(await isEchoed(dial('changed')), false);
  assert.equal(await isEchoed(dial('added')), true);
  assert.equal(daemon.stats().changed?.active_connections, 1);
});

test('a reload reports an event file that is not a file, and a stale threat feed is a problem', async (t) => {
  const { daemon, write, folder } = await startChangeable(t, { services: {} });
  const lapi = await fakeLapi(t, jsonReply({}, 500));
  const threatfeed = { enabled: true, lapi_url: lapi.url, api_key: 'k', update_frequency: '1s' };
  write({ services: {}, intake: [{ file: folder }], threatfeed });
  const outcome = await daemon.reload('a test');
  const unreadable = `intake: ${folder}: not a regular file`;
  assert.ok(outcome.ok && outcome.problems.includes(unreadable));
  await until(() => daemon.feed?.state().status === 'stale');
  assert.deepEqual(daemon.problems(), [`threat feed: stale: ${daemon.feed?.state().lastError}`, unreadable]);
  write({ services: {} });
  await daemon.reload('a test');
  assert.deepEqual(daemon.problems(), []);
});

const refusals = {
  'a file that is not YAML': '{',
  'a file with an unknown key': { services: {}, sevices: {} } as DaemonFile,
  'a policy that does not exist': {
    services: { web: guardedService(1, { protocol: 'http', http: { policy: 'absent.json' } }) },
  },
  'a GeoIP database that does not exist': { global: { geoip_db: 'reload.test.none' } },
};

for (const [name, file] of Object.entries(refusals))
  test(`${name} changes nothing and is reported`, async (t) => {
    const { port } = await startUpstream(t, echo);
    const { daemon, dial, write } = await startChangeable(t, { services: { one: guardedService(port) } });
    write(file);
    const outcome = await daemon.reload('a test');
    assert.equal(outcome.ok, false);
    assert.equal(await isEchoed(dial('one')), true);
    assert.match(daemon.problems().join(), /the new configuration was refused/);
    write({ services: { one: guardedService(port) } });
    assert.equal((await daemon.reload('a test')).ok, true);
    assert.deepEqual(daemon.problems(), []);
  });

test('a port in use refuses the whole change', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { daemon, dial, write } = await startChangeable(t, { services: { one: guardedService(port) } });
  const { port: taken } = await startUpstream(t, echo);
  write({ services: { two: guardedService(port), three: guardedService(port, { listen: `127.0.0.1:${taken}` }) } });
  const outcome = await daemon.reload('a test');
  const [problem] = outcome.ok ? [] : outcome.problems;
  assert.deepEqual([problem?.path, problem?.line], ['services.three.listen', 1]);
  if (process.platform === 'linux')
    assert.match(
      problem?.message ?? '',
      new RegExp(`\\(pid ${process.pid}\\) listens on .*:${taken} \\(EADDRINUSE\\): stop it`),
    );
  assert.equal(await isEchoed(dial('one')), true);
  assert.deepEqual(
    daemon.services().map(({ name }) => name),
    ['one'],
  );
});

test('a listener can move from one address to all, and from one service to another', async (t) => {
  const { port } = await startUpstream(t, echo);
  const free = await freePort();
  const { daemon, dial, write } = await startChangeable(t, {
    services: { one: guardedService(port, { listen: `127.0.0.1:${free}` }) },
  });
  write({ services: { two: guardedService(port, { listen: `:${free}` }) } });
  assert.equal((await daemon.reload('a test')).ok, true);
  assert.equal(await isEchoed(dial('two')), true);
  write({ services: { three: guardedService(port, { listen: `:${free}` }) } });
  assert.equal((await daemon.reload('a test')).ok, true);
  assert.equal(await isEchoed(dial('three')), true);
  assert.equal(daemon.stats().three?.active_connections, 1);
});

test('a listener can move from localhost to its address', async (t) => {
  const { port } = await startUpstream(t, echo);
  const free = await freePort();
  const { daemon, write } = await startChangeable(t, {
    services: { one: guardedService(port, { listen: `localhost:${free}` }) },
  });
  const { address } = await lookup('localhost');
  write({
    services: { one: guardedService(port, { listen: `${isIPv6(address) ? `[${address}]` : address}:${free}` }) },
  });
  const outcome = await daemon.reload('a test');
  assert.ok(outcome.ok, JSON.stringify(outcome));
});

test('a port moves from the port-scan trap to a service and back, in one reload each', async (t) => {
  const { port } = await startUpstream(t, echo);
  const free = await freePort();
  const trap = { services: {}, port_scan: { listen: [`127.0.0.1:${free}`, '127.0.0.1:0'] } };
  const served = {
    services: { one: guardedService(port, { listen: `:${free}` }) },
    port_scan: { listen: ['127.0.0.1:0'] },
  };
  const { daemon, dial, write, events } = await startChangeable(t, trap);
  const probe = () => received(connect(free, '127.0.0.1'));
  const probes = () => events.filter(({ reason }) => reason === 'port_scan').length;
  await probe();
  assert.equal(probes(), 1);
  write(served);
  assert.deepEqual(await daemon.reload('a test'), {
    ok: true,
    changed: ['services.one', 'port_scan.listen'],
    restart: [],
    problems: [],
  });
  const socket = dial('one');
  assert.equal(await isEchoed(socket), true);
  write(trap);
  assert.equal((await daemon.reload('a test')).ok, true);
  assert.equal((await probe()).bytes.length, 0);
  assert.equal(probes(), 2);
  assert.equal(await isEchoed(socket), true, 'open connections continue');
});

test('a trap port in use is a problem, and the next reload binds it when it is free', async (t) => {
  const { port } = await startUpstream(t, echo);
  const taken = await freePort(); // not a port that the system could give to another program before the reload
  const server = createServer().listen(taken, '127.0.0.1');
  t.after(() => void server.close());
  await once(server, 'listening');
  const { daemon, dial, write } = await startChangeable(t, { services: {} });
  write({ services: { one: guardedService(port) }, port_scan: { listen: [`127.0.0.1:${taken}`] } });
  const outcome = await daemon.reload('a test');
  assert.match(outcome.ok ? outcome.problems.join() : '', /^cannot listen for port_scan\.listen\[0\]: .*EADDRINUSE/);
  assert.deepEqual(daemon.problems(), outcome.ok ? outcome.problems : []);
  assert.equal(await isEchoed(dial('one')), true);
  await once(server.close(), 'close');
  await daemon.reload('a test');
  assert.deepEqual(daemon.problems(), []);
});

const apiOn = (port: number) => ({ listen: `127.0.0.1:${port}` });
const answers = async (port: number): Promise<string> =>
  fetch(`http://127.0.0.1:${port}/ping`).then(
    (answer) => answer.text(),
    () => '',
  );

test('an API that cannot move stays on its address, which is a problem', async (t) => {
  const { port } = await startUpstream(t, echo);
  const [first, second] = [await freePort(), await freePort()];
  const { daemon, write } = await startChangeable(t, { api: apiOn(first), services: {} });
  write({ api: apiOn(port), services: {} });
  assert.equal((await daemon.reload('a test')).ok, true);
  await until(() => daemon.problems().length > 0);
  assert.match(
    daemon.problems().join(),
    /^api: port \d+ is in use: .*EADDRINUSE.*; the previous configuration stays in force$/,
  );
  assert.equal(await answers(first), 'pong\n');
  write({ api: apiOn(second), services: {} });
  await daemon.reload('a test');
  await until(() => daemon.problems().length === 0);
  assert.deepEqual([await answers(first), await answers(second)], ['', 'pong\n']);
});

test('a service can take the port of the API after the API has moved, and the refusal says so', async (t) => {
  const { port } = await startUpstream(t, echo);
  const [first, second] = [await freePort(), await freePort()];
  const services = { one: guardedService(port, { listen: `127.0.0.1:${first}` }) };
  const { daemon, dial, write } = await startChangeable(t, { api: apiOn(first), services: {} });
  write({ api: apiOn(second), services });
  const refused = await daemon.reload('a test');
  assert.match(refused.ok ? '' : (refused.problems[0]?.hint ?? ''), /reload once without the service, then with it/);
  write({ api: apiOn(second), services: {} });
  await daemon.reload('a test');
  await until(async () => (await answers(second)) !== '');
  write({ api: apiOn(second), services });
  assert.equal((await daemon.reload('a test')).ok, true);
  assert.equal(await isEchoed(dial('one')), true);
});

test('names a policy whose file changed, and nothing else', async (t) => {
  const folder = temporaryFolder();
  const policy = join(folder, 'guard.json');
  writeFileSync(policy, '{}');
  const services = {
    one: guardedService(1, { protocol: 'http', http: { policy } }),
    two: guardedService(1, { protocol: 'http' }),
  };
  const { daemon } = await startChangeable(t, { services });
  writeFileSync(policy, '{"methods":["GET"]}');
  const outcome = await daemon.reload('a test');
  assert.deepEqual(outcome.ok ? outcome.changed : outcome, ['services.one.http.policy']);
  const next = await daemon.reload('a test');
  assert.deepEqual(next.ok ? next.changed : next, []);
});

test('names the keys that only a start reads', async (t) => {
  const { daemon, write } = await startChangeable(t, { global: { workers: 1 }, services: {} });
  write({ global: { data_dir: '/elsewhere' }, services: {} });
  const outcome = await daemon.reload('a test');
  assert.deepEqual(outcome.ok ? outcome.restart : [], ['global.data_dir']);
  assert.match(daemon.problems().join(), /restart tcp-guard to apply global\.data_dir/);
});

test('a daemon that cannot listen does not start, and keeps nothing open', async (t) => {
  const { port } = await startUpstream(t, echo);
  const free = await freePort();
  const services = {
    one: guardedService(port, { listen: `127.0.0.1:${free}` }),
    two: guardedService(free, { listen: `127.0.0.1:${port}` }),
  };
  await assert.rejects(start(t, { services }), /services\.two\.listen: cannot listen for two: .*EADDRINUSE/);
  await start(t, { services: { one: services.one } });
});

test('country rules without a readable database prevent the start', async (t) => {
  const global = { geoip_db: '/nowhere.mmdb', geo_block: { deny_countries: ['US'] } };
  await assert.rejects(start(t, { global, services: {} }), /global\.geoip_db/);
});

test('reads a database again when its file changes, and keeps the previous one when the new file is invalid', async (t) => {
  const path = join(temporaryFolder(), 'geo.mmdb');
  copyFileSync(geoDatabase, path);
  const geo = createGeo({ fault: () => {}, checkMs: 20 });
  t.after(() => geo.close());
  (await geo.prepare(path)).begin();
  assert.equal(geo.countryOf('8.8.8.8'), 'US');
  assert.equal(geo.countryOf('10.0.0.1'), '');
  writeFileSync(path, 'not a database');
  await until(() => geo.problems().length > 0);
  assert.equal(geo.countryOf('8.8.8.8'), 'US');
  copyFileSync(geoDatabase, path);
  await until(() => geo.problems().length === 0);
  assert.equal(geo.countryOf('8.8.8.8'), 'US');
});

test('a database that changes before it is in use is read again', async (t) => {
  const path = join(temporaryFolder(), 'geo.mmdb');
  copyFileSync(geoDatabase, path);
  const geo = createGeo({ fault: () => {}, checkMs: 20 });
  t.after(() => geo.close());
  const change = await geo.prepare(path);
  writeFileSync(path, 'not a database');
  change.begin();
  await until(() => geo.problems().length > 0);
});

test('starts with the default configuration', async (t) => {
  assert.equal(configuration({}).version, 1);
  const { daemon } = await start(t, {});
  assert.equal(daemon.isServing(), true);
  const tables = ['connections', 'bans', 'failures', 'threatfeed', 'failure_rate', 'rate_limit', 'tarpit'];
  assert.deepEqual(Object.keys(daemon.tables()), tables);
});

test('a descriptor limit below max_connections is not a fault, and the capacity shows it', async (t) => {
  const { daemon, auditLines } = await start(t, { services: {}, global: { max_connections: 1_000_000 } });
  await daemon.close(0);
  assert.deepEqual(auditLines(), []);
  assert.ok((daemon.tables().connections?.capacity ?? 0) < 1_000_000);
});

test('the end waits for connections as long as the reloaded configuration says', async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = { one: guardedService(port) };
  const { daemon, dial, write, event } = await startChangeable(t, { services, global: { drain: '1h' } });
  assert.equal(await isEchoed(dial('one')), true);
  write({ services, global: { drain: '0s' } });
  await daemon.reload('a test');
  await daemon.close();
  await event(({ reason }) => reason === 'shutdown');
});
