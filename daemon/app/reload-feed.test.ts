/** A reload that changes the threat feed. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../platform/testing/until.ts';
import { decision, fakeLapi, jsonReply, streamReply } from '../feed/testing/fake-lapi.ts';
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
