import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNew, readReason, readRegular, readRegularSync, replaceFile, replaceFileSync } from './regular-file.ts';
import { scratchFolder } from './scratch-folder.ts';

const mostBytes = 100;

/** Reads a path with both functions and checks that the results or messages are equal. */
async function read(path: string): Promise<string> {
  const inTurn = await readRegular(path, mostBytes).then(String, ({ message }: Error) => message);
  let atOnce: string;
  try {
    atOnce = readRegularSync(path, mostBytes).toString();
  } catch (error) {
    atOnce = (error as Error).message;
  }
  assert.equal(atOnce, inTurn);
  return inTurn;
}

test('reads a regular file up to the limit', async () => {
  const path = join(scratchFolder('regular-file-'), 'file');
  writeFileSync(path, 'x'.repeat(mostBytes));
  assert.equal(await read(path), 'x'.repeat(mostBytes));
  writeFileSync(path, '');
  assert.equal(await read(path), '');
  truncateSync(path, mostBytes + 1);
  assert.equal(await read(path), `it has ${mostBytes + 1} bytes, and at most ${mostBytes} are read`);
});

test('the reason for content that is not JSON has none of it', () => {
  assert.throws(
    () => JSON.parse('a secret'),
    (error) => readReason(error) === 'it is not JSON',
  );
});

test('refuses a pipe without a writer, an endless device and a folder at once', async () => {
  const folder = scratchFolder('regular-file-');
  const [pipe, inner] = [join(folder, 'pipe'), join(folder, 'folder')];
  mkdirSync(inner);
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  for (const path of [pipe, '/dev/zero', inner]) assert.equal(await read(path), 'not a regular file', path);
});

test('creates a file in place of a pipe, a link or a file, and refuses a folder', async () => {
  const folder = scratchFolder('regular-file-');
  const at = (name: string) => join(folder, name);
  writeFileSync(at('target'), 'kept');
  writeFileSync(at('file'), 'longer than the new text');
  symlinkSync(at('target'), at('link'));
  mkdirSync(at('folder'));
  assert.equal(spawnSync('mkfifo', [at('pipe')]).status, 0);
  for (const name of ['absent', 'file', 'link', 'pipe']) {
    await using handle = await openNew(at(name));
    await handle.writeFile('new');
    assert.equal(readFileSync(at(name), 'utf8'), 'new');
    assert.equal(statSync(at(name)).mode & 0o777, 0o600);
  }
  assert.equal(readFileSync(at('target'), 'utf8'), 'kept');
  await assert.rejects(openNew(at('folder')), (error) => {
    assert.match(readReason(error), /is a directory/);
    return (error as NodeJS.ErrnoException).code === 'ERR_FS_EISDIR';
  });
});

test('replaces a file although a pipe has the name of the unfinished one, and keeps it when the write fails', async () => {
  const path = join(scratchFolder('regular-file-'), 'state');
  assert.equal(spawnSync('mkfifo', [`${path}.new`]).status, 0);
  await replaceFile(path, (file) => file.writeFile('old'));
  const failing = replaceFile(path, async (file) => {
    await file.writeFile('a part');
    throw new Error('the disk is full');
  });
  await assert.rejects(failing, /the disk is full/);
  assert.deepEqual([readFileSync(path, 'utf8'), existsSync(`${path}.new`)], ['old', false]);
});

test('replaces a file without a moment in which it is missing, and keeps it when the write fails', () => {
  const folder = scratchFolder('regular-file-');
  const path = join(folder, 'state');
  writeFileSync(path, 'old');
  symlinkSync(join(folder, 'target'), `${path}.${process.pid}`);
  const failing = (unfinished: string) => {
    writeFileSync(unfinished, 'a part');
    assert.equal(readFileSync(path, 'utf8'), 'old');
    throw new Error('the disk is full');
  };
  assert.throws(() => replaceFileSync(path, failing), /the disk is full/);
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(folder)], ['old', ['state']]);
  replaceFileSync(path, (unfinished) => writeFileSync(unfinished, 'new'));
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(folder)], ['new', ['state']]);
});
