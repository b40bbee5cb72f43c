/** A reload that changes the threat feed. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../platform/testing/until.ts';
import { decision, fakeLapi, jsonReply, streamReply } from '../feed/testing/fake-lapi.ts';
import { alertedAddresses, createdReply } from '../feed/testing/running-push.ts';
import { startChangeable } from '../testing/changeable.ts';

test('decisions are enforced at every moment of a reload that changes the feed, also without a LAPI and a disk', async (t) => {
  const lapi = await fakeLapi(t, streamReply([decision('192.0.2.7')]));
  const threatfeed = { enabled: true, lapi_url: lapi.url, api_key: 'k', update_frequency: '1s' };
  const { daemon, write, folder } = await startChangeable(t, { services: {}, threatfeed });
  const isCovered = () => daemon.feed?.covering('192.0.2.7') !== undefined;
  await until(isCovered);
  // Only the feed creates this file.
  await until(() => existsSync(join(folder, 'threatfeed.jsonl')), 'the decisions to be stored');
  lapi.answer(jsonReply({}, 500));
  rmSync(folder, { recursive: true });
  write({ services: {}, threatfeed: { ...threatfeed, update_frequency: '2s' } });
  let isDone = false;
  const reloading = daemon.reload('a test').finally(() => {
    isDone = true;
  });
  const gaps = [];
  for (let turns = 0; !isDone; turns++) {
    if (!isCovered()) gaps.push(turns);
    await turn();
  }
  assert.equal((await reloading).ok, true);
  assert.equal(daemon.feed?.state().updateFrequency, 2);
  assert.deepEqual([gaps, isCovered()], [[], true]);
  write({ services: {}, threatfeed: { ...threatfeed, enabled: false } });
  await daemon.reload('a test');
  assert.equal(daemon.feed, undefined);
});

test('bans that neither the LAPI nor the disk accepted are sent after a reload, and one lifted meanwhile is not', async (t) => {
  const lapi = await fakeLapi(t, jsonReply({}, 500));
  const push = { push: true, machine_id: 'm', password: 'p' };
  const threatfeed = { enabled: true, lapi_url: lapi.url, api_key: 'k', ...push };
  const { daemon, write, folder } = await startChangeable(t, { services: {}, threatfeed });
  await until(() => existsSync(join(folder, 'push.jsonl')));
  mkdirSync(join(folder, 'push.jsonl.new', 'folder'), { recursive: true }); // prevents a new file
  const ban = (ip: string) => daemon.bans.add({ ip, reason: 'test', origin: 'api' });
  const reload = async (changes: object) => {
    write({ services: {}, threatfeed: { ...threatfeed, ...changes } });
    assert.equal((await daemon.reload('a test')).ok, true);
  };
  await reload({ update_frequency: '2s' });
  for (const ip of ['192.0.2.1', '192.0.2.2']) await ban(ip);
  assert.match(daemon.problems().join(), /cannot store unsent bans on disk/);
  await reload({ push: false });
  assert.equal(daemon.push, undefined);
  await daemon.bans.remove('192.0.2.2');
  lapi.answer(createdReply);
  await reload({ update_frequency: '3s' });
  await until(() => daemon.push?.pending() === 0);
  assert.deepEqual(alertedAddresses(lapi), ['192.0.2.1']);
});
