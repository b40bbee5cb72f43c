/** A disk that does not respond. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { stallOpen } from '../testing/stalled-open.ts';
import { decision, streamReply } from './testing/fake-lapi.ts';
import { run } from './testing/running-feed.ts';
import { bannedChange, createdReply, run as runPush } from './testing/running-push.ts';

test('the threat feed starts and ends in bounded time, and polls', async (t) => {
  const folder = scratchFolder('guard-stalled-');
  for (const name of ['threatfeed.jsonl', 'threatfeed.jsonl.new']) stallOpen(t, join(folder, name));
  const { lapi, feed, said } = await run(t, streamReply([decision('192.0.2.1')]), folder);
  await until(() => feed.covering('192.0.2.1') !== undefined);
  lapi.answer(streamReply([decision('192.0.2.2')], [decision('192.0.2.1')]));
  await until(() => feed.covering('192.0.2.2') !== undefined);
  assert.equal(feed.covering('192.0.2.1'), undefined);
  await feed.close();
  assert.deepEqual(said, [
    'threat feed: cannot read the decisions of the previous run (the disk does not respond)',
    'threat feed: cannot store decisions on disk: the disk does not respond',
  ]);
});

test('the threat feed replaces a pipe that it would have to read', async (t) => {
  const folder = scratchFolder('guard-stalled-');
  assert.equal(spawnSync('mkfifo', [join(folder, 'threatfeed.jsonl')]).status, 0);
  const { feed, said } = await run(t, streamReply([decision('192.0.2.1')]), folder);
  await until(() => feed.covering('192.0.2.1') !== undefined);
  await until(() => statSync(join(folder, 'threatfeed.jsonl')).isFile());
  assert.deepEqual(said, ['threat feed: cannot read the decisions of the previous run (not a regular file)']);
});

test('bans are sent to the LAPI, and acknowledged in bounded time', async (t) => {
  const dataDir = scratchFolder('guard-stalled-');
  stallOpen(t, join(dataDir, 'push.jsonl.new'));
  const { push, said, notify } = await runPush(t, createdReply, { dataDir });
  notify(bannedChange('192.0.2.1'));
  await until(() => push.pending() === 0);
  await push.stored();
  assert.deepEqual(said, ['threat feed: cannot store unsent bans on disk: the disk does not respond']);
  await push.close();
});
