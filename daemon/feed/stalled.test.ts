/** A disk that does not respond. Named pipes replace its files: a write waits until another process reads. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { stallOpen } from '../testing/stalled-open.ts';
import { decision, streamReply } from './testing/fake-lapi.ts';
import { run } from './testing/running-feed.ts';
import { bannedChange, createdReply, run as runPush } from './testing/running-push.ts';

/** Named pipes in a new folder. */
function pipesIn(t: TestContext, ...names: string[]): string {
  const folder = scratchFolder('guard-stalled-');
  const pipes = names.map((name) => join(folder, name));
  for (const pipe of pipes) assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  // Open the pipes for reading: this process cannot end while a write blocks.
  t.after(() => {
    for (const pipe of pipes) closeSync(openSync(pipe, 'r+'));
  });
  return folder;
}

test('the threat feed starts and ends in bounded time, and polls', async (t) => {
  const folder = pipesIn(t, 'threatfeed.jsonl.new');
  stallOpen(t, join(folder, 'threatfeed.jsonl'));
  const { lapi, feed, said } = await run(t, streamReply([decision('192.0.2.1')]), folder);
  await until(() => feed.covering('192.0.2.1') !== undefined);
  lapi.answer(streamReply([decision('192.0.2.2')], [decision('192.0.2.1')]));
  await until(() => feed.covering('192.0.2.2') !== undefined);
  assert.equal(feed.covering('192.0.2.1'), undefined);
  await feed.close();
  assert.deepEqual(said, [
    'threat feed: cannot read the decisions of the previous run (the disk does not respond)',
    'threat feed: cannot store decisions on disk (the disk does not respond)',
  ]);
});

test('the threat feed replaces a pipe that it would have to read', async (t) => {
  const folder = pipesIn(t, 'threatfeed.jsonl');
  const { feed, said } = await run(t, streamReply([decision('192.0.2.1')]), folder);
  await until(() => feed.covering('192.0.2.1') !== undefined);
  await until(() => statSync(join(folder, 'threatfeed.jsonl')).isFile());
  assert.deepEqual(said, ['threat feed: cannot read the decisions of the previous run (not a regular file)']);
});

test('bans are sent to the LAPI, and acknowledged in bounded time', async (t) => {
  const dataDir = pipesIn(t, 'push.jsonl.new');
  const { push, said, notify } = await runPush(t, createdReply, { dataDir });
  notify(bannedChange('192.0.2.1'));
  await until(() => push.pending() === 0);
  await push.stored();
  assert.deepEqual(said, ['threat feed: cannot store unsent bans on disk (the disk does not respond)']);
  await push.close();
});
