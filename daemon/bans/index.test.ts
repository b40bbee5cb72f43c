import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';
import type { BanRequest } from './ban.ts';
import { configOf, dataFolder, scratchBans } from './testing/scratch.ts';

const request = (ip: string, more: Partial<BanRequest> = {}): BanRequest => ({
  ip,
  reason: 'by hand',
  origin: 'api',
  ...more,
});

const yaml = `
version: 1
global: {ban_duration: 1m, ban_growth: 2, ban_memory: 10m, never_ban: [192.0.2.0/24, "2001:db8:1::/48"]}
services:
  ssh: {listen: ":2222", upstream: "10.0.0.5:22", ban_duration: 2m}
`;

describe('bans: valid addresses', () => {
  it('bans addresses and networks in canonical text', async (test) => {
    const { bans } = await scratchBans(test, { yaml });
    for (const [given, canonical] of [
      ['::ffff:198.51.100.7', '198.51.100.7'],
      ['198.51.100.77/24', '198.51.100.0/24'],
      ['2001:DB8:0:0::1', '2001:db8::1'],
      ['10.0.0.0/8', '10.0.0.0/8'],
    ] as const) {
      const outcome = await bans.add(request(given));
      assert.ok(outcome.ok && outcome.isDurable);
      assert.equal(outcome.ban.ip, canonical);
    }
    assert.equal(bans.covering('198.51.100.200')?.ip, '198.51.100.0/24');
    assert.equal(bans.covering('::ffff:10.9.9.9')?.ip, '10.0.0.0/8');
    assert.equal(bans.covering('198.51.101.1'), undefined);
    assert.equal(bans.count(), 4);
  });

  it('refuses invalid, too wide and exempt addresses', async (test) => {
    const { bans, changes } = await scratchBans(test, { yaml });
    for (const [ip, refusal] of [
      ['host.example', 'bad_address'],
      ['0.0.0.0/0', 'bad_address'],
      ['10.0.0.0/7', 'bad_address'],
      ['2001::/31', 'bad_address'],
      ['0.0.0.0', 'bad_address'],
      ['0.0.0.0/8', 'bad_address'],
      ['::', 'bad_address'],
      ['::ffff:0:0/96', 'bad_address'],
      ['192.0.2.1', 'never_ban'],
      ['192.0.2.128/25', 'never_ban'],
      ['2001:db8:1:2::/64', 'never_ban'],
      ['127.0.0.1', 'never_ban'], // an address of this host is exempt even if the configuration does not list it
    ] as const)
      assert.deepEqual(await bans.add(request(ip)), { ok: false, refusal }, ip);
    assert.equal(bans.count(), 0);
    assert.deepEqual(changes, []);
  });
});

describe('bans: exempt addresses', () => {
  it('bans a network except the exempt addresses in it, also those that a new configuration exempts', async (test) => {
    const { bans, changes } = await scratchBans(test, { yaml });
    const isBanned = (ip: string) => [bans.covers(ip), bans.covering(ip) !== undefined];
    for (const ip of ['192.0.0.0/16', '127.0.0.0/24']) assert.ok((await bans.add(request(ip))).ok);
    assert.deepEqual(isBanned('192.0.3.1'), [true, true]);
    assert.deepEqual(isBanned('192.0.2.1'), [false, false]);
    assert.deepEqual(isBanned('127.0.0.2'), [true, true]);
    assert.deepEqual(isBanned('127.0.0.1'), [false, false]); // an address of this host
    assert.deepEqual(['192.0.0.0/16', '192.0.3.0/24'].map(bans.spares), [true, false]);
    bans.configure(configOf('version: 1\nglobal: {never_ban: [192.0.3.0/24]}'));
    assert.deepEqual([isBanned('192.0.3.1'), isBanned('192.0.2.1')].flat(), [false, false, true, true]);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['banned', 'banned'],
    );
  });

  it('exempts addresses that this host was given after the start, also when listing them fails', async (test) => {
    const scratch = await scratchBans(test, { yaml });
    const { bans } = scratch;
    assert.ok((await bans.add(request('198.51.100.0/24'))).ok);
    const given = { eth0: [{ address: '198.51.100.7' }, { address: '2001:db8:9::7' }] };
    const listed = test.mock.method(os, 'networkInterfaces', () => given as never);
    test.after(() => {
      listed.mock.restore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    scratch.clock += 1000;
    for (const ip of ['198.51.100.7', '2001:db8:9::7'])
      assert.deepEqual(await bans.add(request(ip)), { ok: false, refusal: 'never_ban' });
    assert.deepEqual([bans.covers('198.51.100.7'), bans.covers('198.51.100.8')], [false, true]);
    listed.mock.mockImplementation(() => {
      throw new Error('EMFILE');
    });
    scratch.clock += 1000;
    assert.deepEqual(await bans.add(request('198.51.100.7')), { ok: false, refusal: 'never_ban' });
  });

  it('lifts bans that a new configuration exempts', async (test) => {
    const { bans, changes } = await scratchBans(test);
    await bans.add(request('198.51.100.7'));
    await bans.add(request('203.0.113.7'));
    bans.configure(configOf('version: 1\nglobal: {never_ban: [198.51.100.0/24]}'));
    assert.equal(bans.covering('198.51.100.7'), undefined);
    assert.ok(bans.covering('203.0.113.7'));
    assert.equal(changes.at(-1)?.kind, 'unbanned');
  });
});

describe('bans: duration', () => {
  it('is enforced before it is durable', async (test) => {
    const { bans, changes } = await scratchBans(test);
    const durable = bans.add(request('198.51.100.7'));
    assert.ok(bans.covering('198.51.100.7'));
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['banned'],
    );
    await durable;
  });

  it('keeps the longest ban of an address unless `replace` is set', async (test) => {
    const { bans, clock } = await scratchBans(test, { yaml });
    const ip = '198.51.100.7';
    const expiry = async (more: Partial<BanRequest>) => {
      const outcome = await bans.add(request(ip, more));
      return outcome.ok && outcome.ban.expiresAt;
    };
    assert.equal(await expiry({ durationMs: 5000 }), clock + 5000);
    assert.equal(await expiry({ durationMs: 3000, reason: 'shorter' }), clock + 5000);
    assert.equal(bans.covering(ip)?.reason, 'by hand');
    assert.equal(await expiry({ durationMs: 9000 }), clock + 9000);
    assert.equal(await expiry({ durationMs: 1000, replace: true }), clock + 1000);
    assert.equal(await expiry({ durationMs: null }), null);
    assert.equal(await expiry({}), null);
  });

  it('reports a ban that replaces a longer one as shorter', async (test) => {
    const { bans, changes } = await scratchBans(test);
    for (const durationMs of [5000, 9000, 1000]) await bans.add(request('198.51.100.7', { durationMs, replace: true }));
    assert.deepEqual(
      changes.map((change) => change.kind === 'banned' && change.isShorter === true),
      [false, false, true],
    );
  });

  it('grows across restarts', async (test) => {
    const dataDir = dataFolder();
    const first = await scratchBans(test, { yaml, dataDir });
    const ban = { origin: 'local', service: 'ssh' } as const;
    await first.bans.add(request('198.51.100.7', ban));
    await first.bans.close();
    const second = await scratchBans(test, { yaml, dataDir });
    assert.equal(second.bans.covering('198.51.100.7')?.service, 'ssh');
    second.clock += 200_000; // the ban has ended, but the next one is still twice as long
    assert.equal(second.bans.covering('198.51.100.7'), undefined);
    const again = await second.bans.add(request('198.51.100.7', ban));
    assert.equal(again.ok && (again.ban.expiresAt ?? 0) - second.clock, 240_000);
    await second.bans.close();
    const third = await scratchBans(test, { yaml, dataDir, clock: second.clock + 300_000 });
    assert.equal(third.bans.count(), 0);
    assert.deepEqual(third.changes, []); // the ban ended before the listener subscribed
  });
});

describe('bans: expiry', () => {
  it('reports the end of a ban once, also when its address becomes exempt', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const scratch = await scratchBans(test, { yaml });
    void scratch.bans.add(request('198.51.100.7'));
    scratch.clock += 60_000;
    test.mock.timers.tick(60_000);
    test.mock.timers.reset();
    scratch.bans.configure(configOf('version: 1\nglobal: {never_ban: [198.51.100.0/24]}'));
    assert.deepEqual(
      scratch.changes.map(({ kind }) => kind),
      ['banned', 'unbanned'],
    );
  });

  it('lifts many bans of exempt addresses in several turns', async (test) => {
    const { bans } = await scratchBans(test);
    const count = daemonBounds.bansEndedAtOnce + 1;
    for (let index = 0; index < count; index++) void bans.add(request(`10.0.${index >> 8}.${index & 255}`));
    bans.configure(configOf('version: 1\nglobal: {never_ban: [10.0.0.0/8]}'));
    assert.deepEqual([bans.count(), bans.covers('10.0.0.0'), bans.covers('10.0.19.136')], [1, false, false]);
    await until(() => bans.count() === 0);
  });

  it('lifts no ban after it is closed', async (test) => {
    const { bans } = await scratchBans(test);
    const count = daemonBounds.bansEndedAtOnce + 1;
    for (let index = 0; index < count; index++) void bans.add(request(`10.0.${index >> 8}.${index & 255}`));
    bans.configure(configOf('version: 1\nglobal: {never_ban: [10.0.0.0/8]}'));
    await bans.close();
    assert.equal(bans.count(), 1);
  });

  it('expires on a lookup by the clock, and for listeners by the timer', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const scratch = await scratchBans(test, { yaml: 'version: 1\nglobal: {ban_memory: 0s}' });
    const { bans, changes } = scratch;
    bans.add(request('198.51.100.7', { durationMs: 5000 }));
    scratch.clock += 5000;
    assert.equal(bans.covering('198.51.100.7'), undefined);
    assert.deepEqual(bans.list({ limit: 10 }).bans, []);
    assert.equal(changes.length, 1);
    test.mock.timers.tick(5000);
    assert.deepEqual(
      changes.slice(1).map((change) => [change.kind, 'why' in change && change.why]),
      [['unbanned', 'expired']],
    );
    assert.equal(bans.count(), 0);
    test.mock.timers.reset();
  });
});

describe('bans: a clock that is set', () => {
  it('reports the ends at the next check when the clock was set forward', async (test) => {
    for (const check of ['checkClock', 'count', 'list'] as const) {
      const scratch = await scratchBans(test, { yaml });
      const { bans, changes } = scratch;
      void bans.add(request('198.51.100.7'));
      void bans.add(request('198.51.100.8', { durationMs: null }));
      scratch.clock += 30_000;
      bans[check]({ limit: 10 });
      assert.equal(changes.length, 2);
      scratch.step(7_200_000);
      bans[check]({ limit: 10 });
      assert.deepEqual(
        changes.slice(2).map((change) => [change.kind, 'ban' in change && change.ban.ip]),
        [['unbanned', '198.51.100.7']],
        check,
      );
    }
  });

  it('reports all bans again, whose ends have moved, when the clock was set back', async (test) => {
    const scratch = await scratchBans(test, { yaml });
    const { bans, changes } = scratch;
    void bans.add(request('198.51.100.7'));
    scratch.step(-7_200_000);
    bans.checkClock();
    bans.checkClock();
    assert.deepEqual(
      changes.slice(1).map(({ kind }) => kind),
      ['restored'],
    );
    assert.ok(bans.covers('198.51.100.7'));
  });

  it('does not take the time between two checks for a step', async (test) => {
    const scratch = await scratchBans(test, { yaml });
    void scratch.bans.add(request('198.51.100.7', { durationMs: null }));
    for (const ms of [1, 1000, 3_600_000]) {
      scratch.clock += ms;
      scratch.step(500); // a small correction of the clock
      scratch.bans.checkClock();
    }
    assert.equal(scratch.changes.length, 1);
  });
});

describe('bans: lifting and listing', () => {
  it('lifts exactly the given address and resets its growth', async (test) => {
    const { bans, changes } = await scratchBans(test, { yaml });
    await bans.add(request('198.51.100.0/24'));
    await bans.add(request('198.51.100.7', { origin: 'local' }));
    assert.equal(await bans.remove('198.51.100.8'), undefined);
    assert.equal((await bans.remove('::ffff:198.51.100.7'))?.ban.ip, '198.51.100.7');
    assert.equal(bans.covering('198.51.100.7')?.ip, '198.51.100.0/24');
    const change = changes.at(-1);
    assert.ok(change?.kind === 'unbanned' && change.why === 'lifted');
    const again = await bans.add(request('198.51.100.7', { origin: 'local' }));
    assert.equal(again.ok && (again.ban.expiresAt ?? 0) - again.ban.bannedAt, 60_000);
  });

  it('lists by address from a cursor, and lists the bans that cover an address', async (test) => {
    const { bans } = await scratchBans(test);
    const ips = ['2001:db8::1', '198.51.100.7', '9.9.9.9', '198.51.100.0/24', '2001:db8::/48'];
    await Promise.all(ips.map((ip) => bans.add(request(ip))));
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = bans.list({ limit: 2, ...(cursor !== undefined && { cursor }) });
      pages.push(page.bans.map(({ ip }) => ip));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual(pages, [['9.9.9.9', '198.51.100.0/24'], ['198.51.100.7', '2001:db8::/48'], ['2001:db8::1']]);
    const covering = bans.list({ limit: 10, ip: '198.51.100.7' }).bans.map(({ ip }) => ip);
    assert.deepEqual(covering, ['198.51.100.0/24', '198.51.100.7']);
    assert.deepEqual(bans.list({ limit: 10, ip: 'invalid' }).bans, []);
  });

  it('notifies listeners until they unsubscribe', async (test) => {
    const { bans } = await scratchBans(test);
    const seen: string[] = [];
    const stop = bans.watch((change) => seen.push(`${change.kind} ${'ban' in change ? change.ban.ip : ''}`));
    await bans.add(request('198.51.100.7'));
    await bans.remove('198.51.100.7');
    stop();
    await bans.add(request('198.51.100.8'));
    assert.deepEqual(seen, ['banned 198.51.100.7', 'unbanned 198.51.100.7']);
  });
});

describe('bans: clock changes', () => {
  it('ends bans that are over by the new time, and keeps the others when the clock is set back', async (test) => {
    const scratch = await scratchBans(test, { yaml });
    const { bans } = scratch;
    await bans.add(request('198.51.100.7', { durationMs: 60_000 }));
    scratch.clock -= 7 * 86_400_000;
    assert.ok(bans.covering('198.51.100.7'));
    const again = await bans.add(request('198.51.100.8', { durationMs: 1000 }));
    assert.ok(again.ok && again.isDurable);
    scratch.clock += 7 * 86_400_000 + 30_000;
    assert.ok(bans.covering('198.51.100.7'));
    assert.equal(bans.covering('198.51.100.8'), undefined);
    scratch.clock += 365 * 86_400_000;
    assert.equal(bans.covering('198.51.100.7'), undefined);
    assert.deepEqual(bans.list({ limit: 10 }).bans, []);
    assert.ok((await bans.add(request('198.51.100.7'))).ok);
    assert.ok(bans.covering('198.51.100.7'));
  });
});

describe('bans: addresses of CDNs and load balancers', () => {
  it('are a problem until the configuration is loaded again', async (test) => {
    const { bans } = await scratchBans(test, { yaml });
    await bans.add(request('104.16.0.1', { origin: 'intake' }));
    assert.match(bans.problems().join(), /^104\.16\.0\.1 is an address of Cloudflare .* add trustedProxies/);
    bans.configure(configOf(yaml));
    assert.deepEqual(bans.problems(), []);
  });

  it('refuses them to the threat feed, with what CrowdSec lacks', async (test) => {
    const { bans } = await scratchBans(test, { yaml });
    const prefix = readPrefix('104.16.0.1');
    assert.ok(prefix);
    assert.equal(bans.refusesEdge(prefix, { origin: 'threatfeed', reason: 'x\u001b' }), true);
    assert.match(
      bans.problems().join(),
      /not banned \(threatfeed: x[^\u001b]*\): let CrowdSec read the address of the client/,
    );
    assert.equal(bans.sparedEdges(), 0, 'it comes again with each full response');
  });

  it('refuses them to a list without a problem, and no network that is larger than an edge', async (test) => {
    const { bans } = await scratchBans(test, { yaml });
    const isRefused = (ip: string): boolean =>
      bans.refusesEdge(readPrefix(ip) as Prefix, { origin: 'blocklist', reason: 'x' });
    assert.deepEqual(['104.16.0.1', '104.16.0.0/24', '104.0.0.0/8'].map(isRefused), [true, true, false]);
    assert.deepEqual(bans.problems(), []);
  });

  it('refuses them from every source, says so once a source, and bans them with force', async (test) => {
    const faults: string[] = [];
    const { bans } = await scratchBans(test, { yaml, onFault: (message) => faults.push(message) });
    const edges = ['104.16.0.1', '104.0.0.0/8', '2606:4700::/64', '35.191.0.7'];
    for (const ip of edges)
      for (const origin of ['intake', 'local', 'api'] as const)
        assert.deepEqual(await bans.add(request(ip, { origin })), { ok: false, refusal: 'edge' }, ip);
    assert.deepEqual([bans.count(), bans.sparedEdges(), faults.length], [0, 12, 6]);
    const reports = bans.problems();
    assert.deepEqual(
      reports,
      faults.filter((fault) => !fault.includes('(api: ')),
      'the caller of the API knows it',
    );
    assert.match(
      faults[0] ?? '',
      /^104\.16\.0\.1 is an address of Cloudflare .* \(intake: by hand\): add trustedProxies/,
    );
    assert.ok((await bans.add(request('104.16.0.1', { force: true }))).ok);
    assert.ok((await bans.add(request('104.15.255.255'))).ok);
  });
});
