import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LiftJournal } from './lift-journal.ts';
import { dataFolder } from './testing/scratch.ts';

describe('journal of lifts', () => {
  const journalIn = (folder: string) => new LiftJournal(join(folder, 'lifts'));

  it('keeps the lines after the mark', () => {
    const [folder, ips] = [dataFolder(), ['192.0.2.1', '2001:db8::/48', '192.0.2.3']];
    const journal = journalIn(folder);
    assert.deepEqual(journal.read(), []);
    assert.ok(journal.append(ips.slice(0, 2)));
    assert.ok(journal.mark());
    assert.ok(journal.append(ips.slice(2)));
    assert.deepEqual(journalIn(folder).read(), ips);
    journal.cut();
    assert.deepEqual(journalIn(folder).read(), ips.slice(2));
  });

  it('drops an incomplete line', () => {
    const folder = dataFolder();
    journalIn(folder).append(['192.0.2.1']);
    appendFileSync(join(folder, 'lifts'), '192.0.2.');
    assert.ok(journalIn(folder).append(['192.0.2.2']));
    assert.deepEqual(journalIn(folder).read(), ['192.0.2.1', '192.0.2.2']);
  });

  const losses: Record<string, (path: string) => void> = {
    removed: (path) => rmSync(path),
    truncated: (path) => truncateSync(path),
    'replaced by a pipe': (path) => {
      rmSync(path);
      assert.equal(spawnSync('mkfifo', [path]).status, 0);
    },
  };
  for (const [loss, lose] of Object.entries(losses))
    it(`does not append to a file that was ${loss}`, () => {
      const folder = dataFolder();
      const journal = journalIn(folder);
      journal.append(['192.0.2.1']);
      lose(join(folder, 'lifts'));
      assert.equal(journal.append(['192.0.2.2']), false);
      journal.clear();
      assert.ok(journal.append(['192.0.2.2']));
    });
});
