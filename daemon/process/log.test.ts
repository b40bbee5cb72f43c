import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../testing/daemon.ts';
import { logText } from './log.ts';

const now = Date.UTC(2026, 10, 21, 9, 30);

test('a line has the time and the level, and further lines are indented', () => {
  assert.equal(logText('error', 'a\nb\n', false, now), '2026-11-21T09:30:00.000Z error: a\n  b\n');
});

test('each line for the journal has the priority of its level', () => {
  assert.equal(logText('error', 'a\nb', true, now), '<3>a\n<3>b\n');
  assert.equal(logText('warning', 'a', true, now), '<4>a\n');
  assert.equal(logText('info', 'a', true, now), '<6>a\n');
});

test('escapes what a terminal would interpret', () => {
  assert.match(logText('info', '\u001b[31m\u202e', false, now), /info: \\x1b\[31m\\u\{202e\}\n$/);
});

/** Runs the log in a process whose standard error is a file. Returns the content of the file. */
function written(journalStream: (file: string) => string): string {
  const path = join(temporaryFolder(), 'stderr');
  const file = openSync(path, 'w');
  const { dev, ino } = fstatSync(file, { bigint: true });
  const env = { ...process.env, JOURNAL_STREAM: journalStream(`${dev}:${ino}`) };
  const code = `(await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href.replace(/ts$/, import.meta.filename.slice(-2)))})).log.warning('x')`;
  spawnSync(process.execPath, ['--input-type=module', '-e', code], { env, stdio: ['ignore', 'ignore', file] });
  closeSync(file);
  return readFileSync(path, 'utf8');
}

test('writes priorities when standard error is the journal, and the time when it is redirected', () => {
  assert.equal(
    written((file) => file),
    '<4>x\n',
  );
  assert.match(
    written((file) => `${file}0`),
    /^\S+Z warning: x\n$/,
  );
});
