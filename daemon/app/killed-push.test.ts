/** A daemon that is killed while the LAPI is not reachable. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { fakeLapi, jsonReply } from '../feed/testing/fake-lapi.ts';
import { behindLogin, createdReply } from '../feed/testing/running-push.ts';
import { start, temporaryFolder } from '../testing/daemon.ts';
import { send, spawnDaemon, withSocket } from '../testing/spawned.ts';

const settings = { enabled: true, push: true, api_key: 'k', machine_id: 'm', password: 'p' };

test('acknowledges a ban and an unban after they are stored for the LAPI', async (t) => {
  const { url } = await fakeLapi(t, jsonReply({}, 500));
  const { daemon } = await start(t, { services: {}, threatfeed: { ...settings, lapi_url: url } });
  assert.ok(daemon.push);
  const waiting = Promise.withResolvers<void>();
  const stored = t.mock.method(daemon.push, 'stored', () => waiting.promise);
  const banned = daemon.bans.add({ ip: '203.0.113.1', reason: 'test', origin: 'api' });
  const lifted = daemon.bans.remove('203.0.113.1');
  assert.equal(stored.mock.callCount(), 2);
  waiting.resolve();
  assert.deepEqual([(await banned).ok, (await lifted)?.isDurable], [true, true]);
});

test('sends every ban and unban that it has acknowledged after its restart', async (t) => {
  const folder = temporaryFolder();
  const config = join(folder, 'tcp-guard.yaml');
  const lapi = await fakeLapi(t, behindLogin(jsonReply({}, 500)));
  const threatfeed = { ...settings, lapi_url: lapi.url };
  writeFileSync(config, JSON.stringify(withSocket(folder, { services: {}, threatfeed })));
  const started = async () => {
    const daemon = spawnDaemon(t, config);
    await until(() => daemon.said.includes('ready') || daemon.hasEnded);
    return daemon;
  };
  const ips = ['203.0.113.1', '203.0.113.2', '203.0.113.3'];
  for (const [path, status] of [
    ['/ban', /"banned_at"/],
    ['/unban', /./],
  ] as const)
    for (const ip of ips.slice(path === '/ban' ? 0 : 2)) {
      const daemon = await started();
      assert.match(await send(folder, 'POST', path, JSON.stringify({ ip })), status);
      daemon.kill('SIGKILL');
      await once(daemon, 'close');
    }
  lapi.answer(createdReply);
  const before = { bodies: lapi.bodies.length, asked: lapi.requests.length };
  await started();
  const sent = () => JSON.stringify(lapi.bodies.slice(before.bodies)) + lapi.requests.slice(before.asked).join();
  await until(
    () => ips.slice(0, 2).every((ip) => sent().includes(`"value":"${ip}"`)) && /DELETE .*203\.0\.113\.3/.test(sent()),
    sent,
  );
});
