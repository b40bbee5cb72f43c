import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRegular, readRegularSync } from './regular-file.ts';
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

test('refuses a pipe without a writer, an endless device and a folder at once', async () => {
  const folder = scratchFolder('regular-file-');
  const [pipe, inner] = [join(folder, 'pipe'), join(folder, 'folder')];
  mkdirSync(inner);
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  for (const path of [pipe, '/dev/zero', inner]) assert.equal(await read(path), 'not a regular file', path);
});
