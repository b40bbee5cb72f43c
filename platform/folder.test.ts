import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './folder.ts';

test('makes a folder and those above it, and keeps one that exists', (t) => {
  const base = mkdtempSync(join(tmpdir(), 'folder-'));
  t.after(() => rmSync(base, { recursive: true }));
  const path = join(base, 'one', 'two', 'three');
  for (let times = 0; times < 2; times += 1) makeFolder(path, 0o700);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  writeFileSync(join(base, 'file'), '');
  for (const below of ['', 'one'])
    assert.throws(() => makeFolder(join(base, 'file', below)), { code: 'EEXIST', path: join(base, 'file') });
});

test('gives up where the system makes no folders', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, () => {
  assert.throws(() => makeFolder('/proc/none/one'), { code: 'ENOENT' });
});
