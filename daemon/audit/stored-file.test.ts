import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { StoredFile } from './stored-file.ts';

const { diskMs, diskRetryMs } = daemonBounds;

/** A file whose disk the test controls: each write waits for an outcome. */
function stored(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const writes: { readonly accept: () => void; readonly refuse: () => void }[] = [];
  const write = () => {
    const { promise, resolve: accept, reject } = Promise.withResolvers<void>();
    writes.push({ accept, refuse: () => reject(new Error('no space')) });
    return promise;
  };
  const said: string[] = [];
  return { file: new StoredFile({ write, problem: 'a file', log: (text) => said.push(text) }), writes, said };
}

test('one write at a time includes all changes that were requested before it', async (t) => {
  const { file, writes, said } = stored(t);
  for (let count = 0; count < 3; count++) file.save();
  await turn();
  assert.equal(writes.length, 1);
  for (let count = 0; count < 3; count++) file.save();
  await turn();
  assert.equal(writes.length, 1);
  const isSaved = file.untilSaved();
  writes[0]?.accept();
  await turn();
  assert.equal(writes.length, 2);
  writes[1]?.accept();
  assert.deepEqual([await isSaved, said, file.problems()], [true, [], []]);
});

test('a refused write is a problem and is repeated, later each time, until the disk accepts it', async (t) => {
  const { file, writes, said } = stored(t);
  file.save();
  let waited: number = diskRetryMs.first;
  for (let attempt = 0; attempt < 10; attempt++) {
    await turn();
    assert.equal(writes.length, attempt + 1);
    writes[attempt]?.refuse();
    await turn();
    file.save(); // a further change does not make the attempts more frequent
    t.mock.timers.tick(waited - 1);
    await turn();
    assert.deepEqual([writes.length, file.problems()], [attempt + 1, ['a file: no space']]);
    t.mock.timers.tick(1);
    waited = Math.min(waited * 2, diskRetryMs.most);
  }
  await turn();
  writes[10]?.accept();
  await turn();
  assert.deepEqual([said, file.problems()], [['a file: no space'], []]);
  t.mock.timers.tick(diskRetryMs.most);
  await turn();
  assert.equal(writes.length, 11);
});

test('a caller that waits gets a result when the disk does not respond, and the write continues', async (t) => {
  const { file, writes } = stored(t);
  file.saveNow();
  const isSaved = file.untilSaved();
  await turn();
  t.mock.timers.tick(diskMs);
  assert.deepEqual([await isSaved, file.problems()], [false, ['a file: the disk does not respond']]);
  writes[0]?.accept();
  await turn();
  assert.deepEqual(file.problems(), []);
});

test('the end makes one more attempt without a wait, and none after it', async (t) => {
  const { file, writes } = stored(t);
  file.save();
  await turn();
  writes[0]?.refuse();
  await turn();
  const closing = file.close();
  await turn();
  assert.equal(writes.length, 2);
  writes[1]?.refuse();
  await closing;
  t.mock.timers.tick(diskRetryMs.most);
  await turn();
  assert.equal(writes.length, 2);
  file.save();
  await turn();
  assert.equal(writes.length, 3);
});
