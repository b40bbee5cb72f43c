import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Ban, BanChange } from '../../daemon/bans/ban.ts';
import { Backlog } from '../../daemon/feed/backlog.ts';
import { Holdings } from '../../daemon/feed/holdings.ts';
import { startPush } from '../../daemon/feed/push.ts';
import { until } from '../../platform/testing/until.ts';
import { configFor, dataFolder, startFeed, timeout } from './feed.ts';
import { type CrowdSec, releases, startCrowdsec } from './process.ts';

for (const release of releases)
  describe(`the threat feed with CrowdSec ${release.version}`, {
    skip: release.skip,
    timeout,
    concurrency: true,
  }, () => {
    it('enforces what cscli adds and lifts what it deletes', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const feed = await startFeed(t, crowdsec);
      await until(() => feed.state().status === 'healthy');
      crowdsec.cscli('decisions', 'add', '-i', '192.0.2.1', '-d', '10m', '-R', 'seen');
      crowdsec.cscli('decisions', 'add', '-r', '198.51.100.77/24', '-d', '10m', '-t', 'captcha');
      crowdsec.cscli('decisions', 'add', '-i', '2001:db8::1', '-d', '2s');
      await until(() => feed.state().decisions >= 2 && feed.covering('198.51.100.1') !== undefined);
      assert.equal(feed.covering('192.0.2.1')?.scenario, 'seen');
      assert.equal(feed.covering('198.51.100.1')?.type, 'captcha');
      await until(() => feed.covering('2001:db8::1') === undefined && feed.state().decisions === 2);
      crowdsec.cscli('decisions', 'delete', '-i', '192.0.2.1');
      await until(() => feed.covering('192.0.2.1') === undefined);
      assert.ok(feed.covering('198.51.100.1'));
    });

    it('enforces what it knew while CrowdSec is away, also after a restart', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const dataDir = dataFolder();
      const first = await startFeed(t, crowdsec, { dataDir });
      crowdsec.cscli('decisions', 'add', '-i', '192.0.2.1', '-d', '10m');
      await until(() => first.covering('192.0.2.1') !== undefined);
      await crowdsec.kill();
      await until(() => first.state().status === 'stale');
      assert.ok(first.covering('192.0.2.1'));
      assert.match(String(first.state().lastError), /connection refused/);
      await first.close();
      const second = await startFeed(t, crowdsec, { dataDir });
      assert.ok(second.covering('192.0.2.1'));
      await crowdsec.start();
      crowdsec.cscli('decisions', 'delete', '-i', '192.0.2.1');
      await until(() => second.covering('192.0.2.1') === undefined && second.state().status === 'healthy');
    });

    it('lifts nothing when its key is refused', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const feed = await startFeed(t, crowdsec);
      crowdsec.cscli('decisions', 'add', '-i', '192.0.2.1', '-d', '10m');
      await until(() => feed.covering('192.0.2.1') !== undefined);
      crowdsec.cscli('bouncers', 'delete', 'guard');
      await until(() => feed.state().status === 'stale');
      assert.ok(feed.covering('192.0.2.1'));
      assert.match(String(feed.state().lastError), /403/);
      crowdsec.cscli('bouncers', 'add', 'guard', '-k', crowdsec.apiKey);
      await until(() => feed.state().status === 'healthy');
    });
  });

const ban = (ip: string): Ban => ({
  ip,
  reason: 'ssh: 5 failed logins in 60s',
  service: 'ssh',
  origin: 'local',
  bannedAt: Date.now(),
  expiresAt: Date.now() + 600_000,
});

interface Pushing {
  readonly notify: (change: BanChange) => void;
}

function pushing(t: TestContext, crowdsec: CrowdSec): Pushing {
  let notify: Pushing['notify'] = () => assert.fail('no listener');
  const watch = (listener: Pushing['notify']) => {
    notify = listener;
    return () => undefined;
  };
  const list = () => ({ bans: [], cursor: undefined });
  const log = () => undefined;
  const push = startPush({
    config: configFor(crowdsec),
    backlog: new Backlog({ dataDir: dataFolder(), bans: { list, store: () => 'ok' }, log }),
    bans: { watch, spares: () => false },
    decisions: new Holdings(Date.now),
    now: Date.now,
    log,
  });
  t.after(() => push.close());
  return { notify: (change) => notify(change) };
}

for (const release of releases)
  describe(`push to CrowdSec ${release.version}`, { skip: release.skip, timeout, concurrency: true }, () => {
    it('reaches nine other daemons, each with a separate key', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const others = await Promise.all(
        Array.from({ length: 9 }, (_, index) => {
          const apiKey = `key-of-daemon-${index}`;
          crowdsec.cscli('bouncers', 'add', `edge-${index}`, '-k', apiKey);
          return startFeed(t, { ...crowdsec, apiKey });
        }),
      );
      await until(() => others.every((feed) => feed.state().status === 'healthy'));
      const { notify } = pushing(t, crowdsec);
      notify({ kind: 'banned', ban: ban('192.0.2.1') });
      await until(() => others.every((feed) => feed.covering('192.0.2.1')?.origin === 'guard'));
      notify({ kind: 'unbanned', ban: ban('192.0.2.1'), why: 'lifted' });
      await until(() => others.every((feed) => feed.covering('192.0.2.1') === undefined));
    });

    it('shows own bans to others and takes them back, and nothing else', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const { notify } = pushing(t, crowdsec);
      crowdsec.cscli('decisions', 'add', '-i', '192.0.2.1', '-d', '20m', '-R', 'by hand');
      const other = await startFeed(t, crowdsec);
      for (const ip of ['192.0.2.1', '198.51.100.0/24', '2001:db8::1']) notify({ kind: 'banned', ban: ban(ip) });
      await until(() => other.covering('198.51.100.9') !== undefined && other.covering('2001:db8::1') !== undefined);
      assert.equal(other.covering('198.51.100.9')?.origin, 'guard');
      assert.equal(other.covering('198.51.100.9')?.scenario, 'guard/ssh');
      const alerts = JSON.parse(crowdsec.cscli('alerts', 'list', '-a', '-o', 'json')) as {
        message: string;
        scenario: string;
      }[];
      assert.equal(alerts.filter(({ scenario }) => scenario === 'guard/ssh').length, 3);
      assert.ok(alerts.some(({ message }) => message === 'ssh: 5 failed logins in 60s'));
      for (const ip of ['192.0.2.1', '198.51.100.0/24']) notify({ kind: 'unbanned', ban: ban(ip), why: 'lifted' });
      await until(() => other.covering('198.51.100.9') === undefined);
      assert.equal(other.covering('192.0.2.1')?.scenario, 'by hand');
      assert.ok(other.covering('2001:db8::1'));
    });
  });
