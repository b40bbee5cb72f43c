import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const module = pathToFileURL(import.meta.filename.replace('.test', '')).href;

/** Creates two folders and prints their paths and whether they exist. */
const script = `
  const { existsSync, writeFileSync } = await import('node:fs');
  const { scratchFolder } = await import('${module}');
  const folders = [scratchFolder('scratch-'), scratchFolder('scratch-')];
  for (const folder of folders) writeFileSync(folder + '/file', '');
  console.log(JSON.stringify(folders.map((folder) => [folder, existsSync(folder)])));`;

test('folders exist until the process ends', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const folders = JSON.parse(printed) as [string, boolean][];
  assert.deepEqual(
    folders.map(([folder, existed]) => [existed, existsSync(folder)]),
    [
      [true, false],
      [true, false],
    ],
  );
});
