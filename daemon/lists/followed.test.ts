import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { readCopy } from './copy.ts';
import { FollowedList } from './followed.ts';
import { ListTable } from './table.ts';

/** A list in a file that is read every 5 milliseconds. */
function followed(t: TestContext, dataDir: string, file: string) {
  const end = new AbortController();
  const source = { file, interval: '5ms', action: 'ban' } as const;
  const options = { table: new ListTable(), dataDir, now: Date.now, log: () => {}, signal: end.signal };
  const list = new FollowedList(source, options);
  const following = list.follow();
  t.after(() => {
    end.abort();
    return following;
  });
  return list;
}

test('a copy that the disk refused is a problem until it is written', async (t) => {
  const dataDir = scratchFolder('guard-lists-');
  const file = join(dataDir, 'list.txt');
  writeFileSync(file, '203.0.113.7\n');
  writeFileSync(join(dataDir, 'lists'), 'in the way');
  const list = followed(t, dataDir, file);
  await until(() => list.problems().length > 0);
  assert.match(list.problems().join(), /list .*list\.txt: cannot be kept on disk: /);
  assert.deepEqual([list.state().entries, list.state().problem], [1, list.problems()[0]]);
  rmSync(join(dataDir, 'lists'));
  await until(() => list.problems().length === 0);
  assert.deepEqual((await readCopy(dataDir, file))?.texts, ['203.0.113.7\n']);
});
