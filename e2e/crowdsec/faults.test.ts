/** Faults of a real CrowdSec, and its usage metrics. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { Usage } from '../../daemon/feed/usage.ts';
import { until } from '../../platform/testing/until.ts';
import { configFor, dataFolder, startFeed, timeout } from './feed.ts';
import { type CrowdSec, releases, startCrowdsec } from './process.ts';

const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

function ban(crowdsec: CrowdSec): void {
  for (const ip of addresses) crowdsec.cscli('decisions', 'add', '-i', ip, '-d', '4h');
}

function change({ database }: CrowdSec, sql: string): void {
  const opened = new DatabaseSync(database, { timeout: 20_000 });
  opened.exec(sql);
  opened.close();
}

/** SQL that adds decisions without events, as CrowdSec stores those of a public list. */
const many = (count: number): string => `
  INSERT INTO decisions (created_at, updated_at, until, scenario, type, scope, value, origin, simulated)
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count})
  SELECT datetime('now'), datetime('now'), datetime('now', '+8 hours'), 'a list', 'ban', 'Ip',
    printf('10.%d.%d.%d', i >> 16, (i >> 8) & 255, i & 255), 'lists', 0 FROM n`;

/** Without the table, one release of CrowdSec responds with 500, the other with an empty list. */
const breakDatabase = 'ALTER TABLE decisions RENAME TO elsewhere';
const repairDatabase = 'ALTER TABLE elsewhere RENAME TO decisions';

interface Report {
  readonly metrics: readonly { readonly items: readonly { readonly name: string; readonly value: number }[] }[];
}

/** Returns the usage metrics that bouncers reported, summed by name. */
function reported({ database }: CrowdSec): Record<string, number> {
  const opened = new DatabaseSync(database, { timeout: 20_000, readOnly: true });
  const rows = opened.prepare("SELECT payload FROM metrics WHERE generated_type = 'RC'").all();
  opened.close();
  const reports = rows.map(({ payload }) => JSON.parse(String(payload)) as Report);
  const sums: Record<string, number> = {};
  for (const { name, value } of reports.flatMap(({ metrics }) => metrics.flatMap(({ items }) => items)))
    sums[name] = (sums[name] ?? 0) + value;
  return sums;
}

for (const release of releases)
  describe(`the threat feed, when CrowdSec ${release.version}`, {
    skip: release.skip,
    timeout,
    concurrency: true,
  }, () => {
    it('has a broken database, lifts nothing', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      ban(crowdsec);
      const clock = { ahead: 0 };
      const feed = await startFeed(t, crowdsec, { clock });
      await until(() => feed.state().decisions === addresses.length);
      change(crowdsec, breakDatabase);
      clock.ahead = daemonBounds.feedResyncMs;
      await until(() => feed.state().status === 'stale');
      for (const ip of addresses) assert.ok(feed.covering(ip), ip);
      change(crowdsec, repairDatabase);
      await until(() => feed.state().status === 'healthy');
      assert.equal(feed.state().decisions, addresses.length);
    });

    it('loses decisions without a word, lifts them when that stays so', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      ban(crowdsec);
      const clock = { ahead: 0 };
      const feed = await startFeed(t, crowdsec, { clock });
      await until(() => feed.state().decisions === addresses.length);
      change(crowdsec, `DELETE FROM decisions WHERE value <> '${addresses[0]}'`);
      clock.ahead = daemonBounds.feedResyncMs;
      await until(() => feed.state().status === 'stale');
      assert.match(String(feed.state().lastError), /lacks more than half/);
      assert.equal(feed.state().decisions, addresses.length);
      clock.ahead += daemonBounds.feedDoubtMs;
      await until(() => feed.state().status === 'healthy');
      assert.equal(feed.state().decisions, 1);
      assert.ok(feed.covering('192.0.2.1'));
    });

    it('knows the key only later, takes everything then', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      ban(crowdsec);
      const feed = await startFeed(t, { ...crowdsec, apiKey: 'a-key-that-is-not-known-yet' });
      await until(() => feed.state().status === 'stale');
      assert.match(String(feed.state().lastError), /403/);
      assert.equal(feed.state().decisions, 0);
      crowdsec.cscli('bouncers', 'add', 'late', '-k', 'a-key-that-is-not-known-yet');
      await until(() => feed.state().decisions === addresses.length);
    });
  });

for (const release of releases)
  describe(`with CrowdSec ${release.version}`, { skip: release.skip, timeout, concurrency: true }, () => {
    it('the threat feed holds 100,000 decisions and follows what changes', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const count = 100_000;
      change(crowdsec, many(count));
      const dataDir = dataFolder();
      const feed = await startFeed(t, crowdsec, { dataDir });
      await until(() => feed.state().decisions === count);
      assert.equal(feed.covering('10.1.134.159')?.origin, 'lists:a list');
      assert.equal(feed.covering('10.1.134.160'), undefined);
      crowdsec.cscli('decisions', 'add', '-i', '192.0.2.1', '-d', '4h');
      await until(() => feed.covering('192.0.2.1') !== undefined);
      await feed.close();
      await crowdsec.kill();
      const again = await startFeed(t, crowdsec, { dataDir });
      assert.equal(again.state().decisions, count + 1);
    });

    it('usage is reported where it is wanted, and elsewhere without a word', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const { threatfeed } = configFor(crowdsec);
      const usage = new Usage({ threatfeed, now: Date.now, decisions: () => [] });
      for (let index = 0; index < 3; index++) usage.account({ isIpv6: false });
      usage.account({ isIpv6: false, origin: 'cscli', remediation: 'ban' });
      for (let round = 0; round < 2; round++) await usage.report(AbortSignal.timeout(20_000));
      if (release.hasUsage) assert.deepEqual(reported(crowdsec), { processed: 4, dropped: 1 });
    });
  });
