/** No line may be lost while files rotate, and while the collector or Loki is down. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { skip } from '../../artefacts/testing/collector.ts';
import { allLines, newBlock, timeout, waitForCount } from './collector-lines.ts';
import { startStack } from './loki-query.ts';

describe('the collector while files and Loki change', { skip, timeout }, () => {
  it('loses nothing when files are renamed or copied and truncated', async (t) => {
    const { collector, query } = await startStack(t);
    const [renamed, copied] = ['renamed.jsonl', 'copied.jsonl'].map((name) => join(collector.logs, name)) as [
      string,
      string,
    ];
    const write = (file: string, from: number, to: number) => {
      for (let n = from; n < to; n++) appendFileSync(file, `${newBlock({ path: `/${n}`, host: file })}\n`);
    };
    write(renamed, 0, 50);
    write(copied, 0, 50);
    await waitForCount(query, allLines, 100);
    write(renamed, 50, 100);
    renameSync(renamed, `${renamed}.1`);
    write(`${renamed}.1`, 100, 150);
    write(renamed, 150, 200);
    write(copied, 50, 100);
    copyFileSync(copied, `${copied}.1`);
    truncateSync(copied);
    writeFileSync(`${copied}.2.gz`, 'compressed\n'.repeat(50));
    write(copied, 100, 200);
    await waitForCount(query, allLines, 400);
    const paths = (await query.lines(allLines)).map(({ fields }) => `${fields.host} ${fields.path}`);
    assert.equal(new Set(paths).size, 400);
    assert.equal(paths.length, 400);
  });

  it('sends what Loki could not take, once Loki is back, and continues where it ended', async (t) => {
    const { loki, collector, query } = await startStack(t);
    const file = join(collector.logs, 'events.jsonl');
    const write = (from: number, to: number) => {
      const lines = Array.from({ length: to - from }, (_, n) => newBlock({ path: `/${from + n}` }));
      appendFileSync(file, `${lines.join('\n')}\n`);
    };
    write(0, 1000);
    await waitForCount(query, allLines, 1000);
    await loki.stop();
    write(1000, 2000);
    await collector.stop('SIGKILL');
    write(2000, 3000);
    await collector.start();
    write(3000, 4000);
    await collector.stop();
    await collector.start();
    await loki.start();
    await waitForCount(query, allLines, 4000);
    assert.equal(await query.count(allLines), 4000);
  });
});

describe('the collector under load', { skip, timeout }, () => {
  it('loses nothing at 5,000 events a second while Loki restarts', async (t) => {
    const { loki, collector, query } = await startStack(t);
    const file = join(collector.logs, 'events.jsonl');
    let written = 0;
    let restarted: Promise<void> | undefined;
    for await (const _ of setInterval(100)) {
      const lines = Array.from({ length: 500 }, (_, n) => newBlock({ path: `/${written + n}` }));
      appendFileSync(file, `${lines.join('\n')}\n`);
      written += lines.length;
      if (written === 25_000) restarted = loki.stop().then(loki.start);
      if (written === 75_000) break;
    }
    await restarted;
    await waitForCount(query, allLines, written);
    assert.equal(await query.count(allLines), written);
  });
});
