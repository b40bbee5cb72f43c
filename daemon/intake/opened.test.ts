import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OpenedFile } from './opened.ts';

test('restarts a file that is truncated and outgrows its old size during the read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-opened-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'events.jsonl');
  writeFileSync(path, 'old\n');
  const taken: string[] = [];
  const onLine = (line: string): void => {
    taken.push(line);
    if (line !== 'old') return;
    truncateSync(path);
    appendFileSync(path, 'new 1\nnew 2\n');
  };
  const file = await OpenedFile.open(path, { encoding: 'utf8', onLine });
  t.after(() => file.close());
  await file.drain(t.signal);
  assert.deepEqual(taken, ['old', 'new 1', 'new 2']);
});
