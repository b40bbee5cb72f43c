import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { createInTurn } from '../time/in-turn.ts';
import { readCopy, writeCopy } from './copy.ts';
import { FollowedList } from './followed.ts';
import { ListTable } from './table.ts';

/** A list in a file that is read every 5 milliseconds. */
function followed(t: TestContext, dataDir: string, file: string, column?: number) {
  const end = new AbortController();
  const source = { file, interval: '5ms', action: 'ban', ...(column !== undefined && { column }) } as const;
  const [reading, evaluating] = [createInTurn(), createInTurn()];
  const options = {
    table: new ListTable(),
    dataDir,
    now: Date.now,
    log: () => {},
    signal: end.signal,
    reading,
    evaluating,
  };
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
  assert.deepEqual((await readCopy(dataDir, file))?.entries, ['203.0.113.7']);
});

test('keeps the entries of a list on disk, and not its text', async (t) => {
  const dataDir = scratchFolder('guard-lists-');
  const file = join(dataDir, 'list.txt');
  writeFileSync(file, `${'# a long comment\n'.repeat(1000)}203.0.113.7\n10.0.0.1\nx\n`);
  const list = followed(t, dataDir, file);
  await until(() => existsSync(join(dataDir, 'lists')) && readdirSync(join(dataDir, 'lists')).length === 1);
  const [copy = ''] = readdirSync(join(dataDir, 'lists'));
  await until(() => statSync(join(dataDir, 'lists', copy)).size > 0);
  assert.ok(statSync(join(dataDir, 'lists', copy)).size < 1000);
  const { entries, unread, ownNetworks } = list.state();
  assert.deepEqual([entries, unread, ownNetworks], [1, 1, 1]);
});

test('what a restart knows of an unchanged list is read again', async (t) => {
  const dataDir = scratchFolder('guard-lists-');
  const file = join(dataDir, 'list.txt');
  writeFileSync(file, '203.0.113.7\n203.0.113.8\nx\n');
  const first = followed(t, dataDir, file);
  await until(() => first.state().entries === 2);
  const kept = {
    readAt: 1e12,
    column: null,
    unread: 0,
    ownNetworks: 0,
    tooWide: 0,
    edges: 0,
    entries: ['203.0.113.7'],
  };
  const other = scratchFolder('guard-lists-');
  await writeCopy(other, file, kept);
  const second = followed(t, other, file);
  await second.restore();
  await until(() => second.state().entries === 2 && second.state().unread === 1);
});

test('a copy that was read from another column is not in force', async (t) => {
  const dataDir = scratchFolder('guard-lists-');
  const file = join(dataDir, 'list.csv');
  writeFileSync(file, '203.0.113.7,203.0.113.8\n');
  const first = followed(t, dataDir, file);
  await until(() => first.state().entries === 1 && existsSync(join(dataDir, 'lists')));
  await until(async () => (await readCopy(dataDir, file)) !== undefined);
  rmSync(file);
  const restored = async (column?: number) => {
    const list = followed(t, dataDir, file, column);
    await list.restore();
    return list.state().entries;
  };
  assert.deepEqual([await restored(), await restored(2)], [1, 0]);
});
