/** Exemptions with an end, through a running daemon. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { echo, guardedService, isServed, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';

const client = '127.0.0.9';

async function running(t: TestContext, workers = 1, folder = temporaryFolder()) {
  const { port } = await startUpstream(t, echo);
  const file = { global: { workers }, services: { echo: guardedService(port) } };
  const { daemon, dial } = await start(t, file, { folder });
  const isClientServed = () => isServed(dial('echo', { localAddress: client }), 'x');
  return { daemon, isServed: isClientServed, folder };
}

const allow = (ip: string, durationMs = 3_600_000) => ({ ip, reason: 'test', durationMs });

for (const workers of [1, 2])
  test(`an exempt client is served in spite of its ban, and refused afterwards, with ${workers} workers`, async (t) => {
    const { daemon, isServed } = await running(t, workers);
    await daemon.bans.add({ ip: client, reason: 'test', origin: 'api' });
    assert.equal(await isServed(), false);
    assert.equal((await daemon.exemptions.add(allow('127.0.0.8/29'))).ok, true);
    assert.equal(await isServed(), true);
    assert.deepEqual(await daemon.bans.add({ ip: client, reason: 'again', origin: 'local' }), {
      ok: false,
      refusal: 'never_ban',
    });
    assert.equal((await daemon.reload('test')).ok, true);
    assert.equal(await isServed(), true);
    assert.equal((await daemon.exemptions.remove('127.0.0.8/29'))?.exemption.reason, 'test');
    assert.equal(await isServed(), false);
  });

test('an exemption ends on time', async (t) => {
  const { daemon, isServed } = await running(t);
  await daemon.bans.add({ ip: client, reason: 'test', origin: 'api' });
  await daemon.exemptions.add(allow(client, 300));
  await until(async () => !(await isServed()));
  assert.deepEqual(daemon.exemptions.list(), []);
});

test('exemptions survive a restart, and the bans below them do too', async (t) => {
  const { daemon, folder } = await running(t);
  await daemon.bans.add({ ip: client, reason: 'test', origin: 'api' });
  await daemon.exemptions.add(allow(client));
  await daemon.close(0);
  const { daemon: next, isServed } = await running(t, 1, folder);
  assert.deepEqual(
    next.exemptions.list().map(({ ip }) => ip),
    [client],
  );
  assert.equal(await isServed(), true);
  await next.exemptions.remove(client);
  assert.equal(await isServed(), false);
});

test('a damaged file of exemptions is reported and does not prevent the start', async (t) => {
  const folder = temporaryFolder();
  const late = { ip: '192.0.2.1', reason: 'x', allowedAt: 0, expiresAt: 9e15 }; // later than any date
  for (const damaged of ['[{"ip":"192.0.2.1"', '{}', JSON.stringify([late]), '[null]']) {
    writeFileSync(join(folder, 'exemptions.json'), damaged);
    const { daemon } = await running(t, 1, folder);
    assert.deepEqual(daemon.exemptions.list(), []);
    await daemon.close(0);
    assert.match(readFileSync(join(folder, 'audit.jsonl'), 'utf8'), /exemptions of the previous run are not in force/);
  }
});

test('refuses what cannot be banned, and more exemptions than the bound', async (t) => {
  const { daemon } = await running(t);
  for (const ip of ['0.0.0.0/0', '10.0.0.0/7', '2001:db8::/31', '0.0.0.0', 'host.example'])
    assert.deepEqual(await daemon.exemptions.add(allow(ip)), { ok: false, refusal: 'bad_address' }, ip);
});

test('a change that the disk refused is a problem of the daemon until it is written', async (t) => {
  const { daemon, folder } = await running(t);
  const obstacle = join(folder, 'exemptions.json.new', 'folder');
  const stored = () => JSON.parse(readFileSync(join(folder, 'exemptions.json'), 'utf8')) as { ip: string }[];
  await daemon.exemptions.add(allow(client));
  for (const change of [() => daemon.exemptions.add(allow('127.0.0.10')), () => daemon.exemptions.remove(client)]) {
    mkdirSync(obstacle, { recursive: true });
    const outcome = await change();
    assert.equal(outcome?.ok && outcome.isDurable, false);
    assert.match(daemon.problems().join(), /cannot write .*exemptions\.json/);
    rmSync(obstacle.replace('/folder', ''), { recursive: true });
    await until(() => daemon.problems().length === 0);
    assert.deepEqual(
      stored().map(({ ip }) => ip),
      daemon.exemptions.list().map(({ ip }) => ip),
    );
  }
});

test('a stop writes a change that the disk refused before', async (t) => {
  const { daemon, folder } = await running(t);
  mkdirSync(join(folder, 'exemptions.json.new'));
  await daemon.exemptions.add(allow(client));
  rmSync(join(folder, 'exemptions.json.new'), { recursive: true });
  await daemon.close(0);
  assert.match(readFileSync(join(folder, 'exemptions.json'), 'utf8'), /127\.0\.0\.9/);
});
