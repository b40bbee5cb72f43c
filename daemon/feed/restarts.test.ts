import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { decision, jsonReply, streamReply } from './testing/fake-lapi.ts';
import { run } from './testing/running-feed.ts';

const kept = 'threatfeed.jsonl';

describe('the threat feed across restarts', () => {
  it('enforces stored decisions while the LAPI is unavailable', async (t) => {
    const first = await run(t, streamReply([decision('192.0.2.1'), decision('2001:db8::/48', { scope: 'range' })]));
    await until(() => first.feed.state().decisions === 2);
    await first.feed.close();
    assert.equal(statSync(join(first.dataDir, kept)).mode & 0o777, 0o600);
    const { feed } = await run(t, jsonReply({}, 500), first.dataDir);
    assert.equal(feed.covering('192.0.2.1')?.origin, 'cscli');
    assert.ok(feed.covering('2001:db8::1'));
    await until(() => feed.state().status === 'stale');
    assert.equal(feed.state().decisions, 2);
  });

  it('recognizes stored decisions in a response, whatever their spelling', async (t) => {
    const reply = streamReply([decision('192.0.2.5/24', { scope: 'Range' }), decision('2001:DB8::0:1')]);
    const first = await run(t, reply);
    await until(() => first.feed.state().decisions === 2);
    await first.feed.close();
    const { feed, said } = await run(t, reply, first.dataDir);
    assert.ok(feed.covering('192.0.2.1'));
    await until(() => feed.state().status === 'healthy');
    assert.deepEqual([feed.state().decisions, said], [2, []]);
  });

  it('drops decisions that ended in between', async (t) => {
    const first = await run(t, streamReply([decision('192.0.2.1'), decision('192.0.2.2')]));
    await until(() => first.feed.state().decisions === 2);
    await first.feed.close();
    const lines = readFileSync(join(first.dataDir, kept), 'utf8');
    writeFileSync(join(first.dataDir, kept), lines.replace(/("expiresAt":)\d+/, '$11000'));
    const { feed } = await run(t, jsonReply({}, 500), first.dataDir);
    assert.equal(feed.state().decisions, 1);
    assert.ok(feed.covering('192.0.2.2'));
  });

  for (const [name, damage] of Object.entries({
    cut: (text: string) => text.slice(0, text.length / 2),
    'of another program': () => 'hello\n',
    empty: () => '',
    binary: () => '\0\0{"version":1}\n[]\n',
    'with a time that no date has': (text: string) => text.replace(/("expiresAt":)\d+/, '$19e15'),
  }))
    it(`ignores a file that is ${name}, and reports it`, async (t) => {
      const first = await run(t, streamReply([decision('192.0.2.1'), decision('192.0.2.2')]));
      await until(() => first.feed.state().decisions === 2);
      await first.feed.close();
      const path = join(first.dataDir, kept);
      writeFileSync(path, damage(readFileSync(path, 'utf8')));
      const { feed, said } = await run(t, streamReply([decision('192.0.2.1')]), first.dataDir);
      assert.match(said[0] ?? '', /cannot read the decisions of the previous run/);
      await until(() => feed.state().decisions === 1);
    });
});

describe('the threat feed with a failing disk', () => {
  it('continues when the disk fails', async (t) => {
    const { feed, said } = await run(t, streamReply([decision('192.0.2.1')]), '/proc/nowhere');
    await until(() => said.length > 0);
    assert.match(said.join(), /cannot store decisions on disk: no such file/);
    assert.deepEqual(feed.problems(), ['threat feed: cannot store decisions on disk: no such file or directory']);
    assert.ok(feed.covering('192.0.2.1'));
  });

  it('stores decisions when the disk accepts them, also while the LAPI is unavailable', async (t) => {
    const dataDir = join(scratchFolder('guard-feed-'), 'later');
    const { lapi, feed, clock } = await run(t, streamReply([decision('192.0.2.1')]), dataDir);
    await until(() => feed.problems().length > 0);
    lapi.answer(jsonReply({}, 500));
    await until(() => feed.state().status === 'stale');
    mkdirSync(dataDir);
    clock.ahead += daemonBounds.feedSaveMs;
    await until(() => existsSync(join(dataDir, kept)));
    await until(() => !feed.problems().join().includes('on disk'));
    assert.match(readFileSync(join(dataDir, kept), 'utf8'), /192\.0\.2\.1/);
  });
});
