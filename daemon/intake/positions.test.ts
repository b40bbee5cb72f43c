import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../testing/daemon.ts';
import { openPositions } from './positions.ts';

/** The positions of a state file. */
function opened(state: unknown) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'intake.json'), JSON.stringify(state));
  return openPositions(folder);
}

const position = { inode: 7, offset: 12, head: 'x' };

test('reads positions of files, also of a state file before 0.2', () => {
  assert.deepEqual(opened({ files: { '/a': position } }).get('/a'), position);
  assert.deepEqual(opened({ '/a': position }).get('/a'), position);
});

test('drops positions that no file has', () => {
  for (const damaged of [{ offset: -1 }, { offset: 1.5 }, { offset: 1e300 }, { inode: '7' }, { head: null }])
    assert.equal(
      opened({ files: { '/a': { ...position, ...damaged } } }).get('/a'),
      undefined,
      JSON.stringify(damaged),
    );
  for (const state of [null, [], 'x', { files: 'x' }, { files: { '/a': null } }, { files: null }])
    assert.equal(opened(state).get('/a'), undefined, JSON.stringify(state));
});

test('drops a cursor that a program cannot get as an argument', () => {
  const cursor = 's=0639c7b21a3b4a3d8d9a1f0b5a0e2f11;i=1';
  assert.equal(opened({ files: {}, cursor }).cursor, cursor);
  for (const damaged of ['', 'a\0b', 'a b', 'x'.repeat(200_000), 7, {}])
    assert.equal(opened({ files: {}, cursor: damaged }).cursor, undefined);
});
