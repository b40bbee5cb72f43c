/** An unban while the LAPI has the decision that this daemon sent. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { decision, fakeLapi, jsonReply, type Reply, streamReply } from '../feed/testing/fake-lapi.ts';
import { untilRequests } from '../feed/testing/running-feed.ts';
import { start, temporaryFolder } from '../testing/daemon.ts';

const own = { origin: 'guard', scenario: 'guard/api' };
const decisions = [
  decision('203.0.113.1', own),
  decision('203.0.113.1', { type: 'captcha' }),
  decision('203.0.113.0/24', { ...own, scope: 'Range' }),
  decision('203.0.113.2'),
];
const full = streamReply(decisions);
const isAway = jsonReply({}, 500);

/** A LAPI that accepts logins and bans. */
const lapiWith =
  (deletion: Reply, poll: Reply): Reply =>
  (request, response, body) => {
    const reply = { GET: poll, POST: jsonReply({ token: 'one' }, 201), DELETE: deletion }[request.method ?? ''];
    reply?.(request, response, body);
  };

/** A daemon that has sent two bans, has got decisions from the LAPI, and has lifted the bans while the LAPI fails. */
async function banned(t: TestContext) {
  const folder = temporaryFolder();
  const lapi = await fakeLapi(t, lapiWith(isAway, full));
  const threatfeed = {
    enabled: true,
    push: true,
    lapi_url: lapi.url,
    api_key: 'k',
    machine_id: 'm',
    password: 'p',
    update_frequency: '1s',
  };
  const file = { services: {}, threatfeed };
  const { daemon } = await start(t, file, { folder });
  for (const ip of ['203.0.113.1', '203.0.113.2']) await daemon.bans.add({ ip, reason: 'test', origin: 'api' });
  await until(() => daemon.push?.pending() === 0 && daemon.feed?.state().decisions === decisions.length);
  lapi.answer(isAway);
  for (const ip of ['203.0.113.1', '203.0.113.2']) await daemon.bans.remove(ip);
  const restart = async () => {
    await daemon.close(0);
    return (await start(t, file, { folder })).daemon;
  };
  return { lapi, daemon, restart };
}

const listed = (daemon: Awaited<ReturnType<typeof banned>>['daemon']) =>
  daemon.feed?.list({ limit: 10 }).decisions.map(({ ip, type, origin }) => `${ip} ${type} ${origin}`);

const others = ['203.0.113.1 captcha cscli', '203.0.113.0/24 ban guard', '203.0.113.2 ban cscli'];
const all = ['203.0.113.0/24 ban guard', '203.0.113.1 ban guard', '203.0.113.1 captcha cscli', '203.0.113.2 ban cscli'];

test('an unban ends the own decision on exactly that address at once, and no other', async (t) => {
  const { daemon } = await banned(t);
  assert.deepEqual(listed(daemon), others);
});

test('a decision whose deletion was not sent is not enforced when the LAPI lists it again', async (t) => {
  const { lapi, daemon } = await banned(t);
  lapi.answer(lapiWith(isAway, full));
  await until(() => daemon.feed?.state().lastError === null);
  await untilRequests(lapi, 2);
  assert.deepEqual(listed(daemon), others);
});

test('a decision that the LAPI lists after its deletion is that of another daemon, and is enforced', async (t) => {
  const { lapi, daemon } = await banned(t);
  lapi.answer(lapiWith(jsonReply({ nbDeleted: '1' }), full));
  await until(() => daemon.push?.pending() === 0);
  await until(() => listed(daemon)?.length === all.length);
  assert.deepEqual(listed(daemon)?.sort(), all);
});

test('an unban that was not sent continues after a restart', async (t) => {
  const { lapi, restart } = await banned(t);
  const daemon = await restart();
  assert.equal(daemon.push?.pending(), 2);
  assert.deepEqual(listed(daemon), others);
  lapi.answer(lapiWith(isAway, full));
  await until(() => daemon.feed?.state().lastSuccess !== null);
  assert.deepEqual(listed(daemon), others);
});
