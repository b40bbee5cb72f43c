import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../testing/daemon.ts';
import { FollowedFile } from './followed.ts';
import { openPositions } from './positions.ts';

const openFiles = (folder: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false; // that of the listing
    }
  }).length;

test('keeps few files open while a log is rotated in each poll, and reads all lines', async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.log');
  const lines: string[] = [];
  const file = new FollowedFile({
    ...{ path, positions: openPositions(folder), resumes: false, now: () => 0 },
    ...{ encoding: 'utf8', onLine: (line: string) => lines.push(line) },
  });
  t.after(() => file.close());
  writeFileSync(path, '');
  await file.poll(t.signal);
  const wanted: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    wanted.push(`${round} before`, `${round} after`);
    appendFileSync(path, `${round} before\n`);
    renameSync(path, join(folder, `a.log.${round}`));
    writeFileSync(path, '');
    await file.poll(t.signal);
    appendFileSync(join(folder, `a.log.${round}`), `${round} after\n`); // by a gateway that has not opened the new file yet
    await file.poll(t.signal);
    assert.ok(openFiles(folder) <= 6, `${openFiles(folder)}`);
  }
  assert.deepEqual(lines, wanted);
});
