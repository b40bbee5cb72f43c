import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Bans } from '../bans/ban.ts';
import { configOf, scratchBans } from '../bans/testing/scratch.ts';
import { createFailureTracker } from './index.ts';
import { keptAudit } from './testing/tracker.ts';
import type { Failure } from './tracker.ts';

const defaults = 'version: 1\nglobal: {ban_after_failures: 5, failure_window: 60s, never_ban: [192.0.2.0/24]}';

const services = `
version: 1
global: {ban_after_failures: 5, failure_window: 60s}
services:
  ssh: {listen: ":1", upstream: "10.0.0.5:1", ban_after_failures: 3}
  ftp: {listen: ":2", upstream: "10.0.0.5:2"}
  imap: {listen: ":3", upstream: "10.0.0.5:3"}
  smtp: {listen: ":4", upstream: "10.0.0.5:4", ban_after_failures: 20}
  vnc: {listen: ":5", upstream: "10.0.0.5:5", ban_after_failures: 0}
`;

const failure = (ip: string, more: Partial<Failure> = {}): Failure => ({
  ip,
  trigger: 'failed login',
  origin: 'local',
  ...more,
});

async function scratchTracker(test: Parameters<typeof scratchBans>[0], yaml: string) {
  const scratch = await scratchBans(test, { yaml });
  const { bans } = scratch;
  const tracker = createFailureTracker({ config: configOf(yaml), bans, audit: keptAudit(), now: () => scratch.clock });
  /** Reports `count` failures, `gapMs` apart. Returns the number of the failure that led to a ban. */
  const failTimes = (count: number, one: Failure, gapMs = 0): number | undefined => {
    for (let number = 1; number <= count; number++) {
      if (tracker.fail(one)) return number;
      scratch.clock += gapMs;
    }
    return undefined;
  };
  return { scratch, bans, tracker, failTimes };
}

const attacker = '198.51.100.7';

it('failure tracker: reports with its size that the table of bans is full', async (test) => {
  const { bans } = await scratchBans(test, { yaml: defaults });
  const audit = keptAudit();
  const full: Bans = { ...bans, add: async () => ({ ok: false, refusal: 'too_many' }) };
  const tracker = createFailureTracker({ config: configOf(defaults), bans: full, audit, now: Date.now });
  for (let count = 0; count < 5; count++) tracker.fail(failure(attacker));
  await Promise.resolve();
  assert.match(audit.faults.join(), /the table of bans is full \(1000000\)/);
});

it('failure tracker: keeps the last lines within the window as evidence', async (test) => {
  const { scratch, bans, tracker } = await scratchTracker(test, defaults);
  const fail = (line: string) => tracker.fail(failure(attacker, { line, origin: 'intake' }));
  fail('an old line');
  scratch.clock += 61_000;
  for (const line of ['1', '2', '3', '4', '5']) fail(line);
  assert.deepEqual(bans.list({ limit: 1 }).bans[0]?.evidence, ['3', '4', '5']);
});

it('failure tracker: detects one ban in place of enforcing it, also of a crowded network', async (test) => {
  const { bans, tracker, failTimes } = await scratchTracker(test, `${defaults}\nbans: {mode: detect}`);
  assert.equal(failTimes(20, failure(attacker)), undefined);
  assert.deepEqual([bans.covers(attacker), bans.detectedCount(), tracker.size()], [false, 1, 0]);
  for (let host = 1; host <= 8; host++) failTimes(5, failure(`2001:db8::${host}`));
  assert.equal(bans.detected('2001:db8::99')?.ip, '2001:db8::/64');
  await bans.remove(attacker);
  assert.equal(failTimes(4, failure(attacker)), undefined);
  assert.equal(bans.detected(attacker), undefined);
});

it('failure tracker: counts equal failures at once', async (test) => {
  const { bans, failTimes } = await scratchTracker(test, defaults);
  assert.equal(failTimes(1, failure(attacker, { count: 4 })), undefined);
  assert.equal(failTimes(1, failure(attacker)), 1);
  assert.equal(bans.covering(attacker)?.reason, 'all services: 5 failed logins in 60s');
});

describe('failure tracker: limits', () => {
  it('bans with the failure that reaches the limit, and records the reason', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, services);
    assert.equal(failTimes(9, failure(attacker, { service: 'ftp' })), 5);
    const ban = bans.covering(attacker);
    assert.equal(ban?.reason, 'ftp: 5 failed logins in 60s');
    assert.deepEqual([ban?.service, ban?.origin], ['ftp', 'local']);
  });

  it('counts only within the window', async (test) => {
    const { failTimes } = await scratchTracker(test, defaults);
    assert.equal(failTimes(50, failure(attacker), 16_000), undefined);
    assert.equal(failTimes(50, failure('198.51.100.8'), 14_000), 5);
  });

  it('bans the /64 of a client that changes addresses, and each translated IPv4 address', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, defaults);
    const from = (prefix: string, host: number) => failTimes(5, failure(`${prefix}${host}`), 1000);
    for (let host = 1; host <= 7; host++) assert.equal(from('2001:db8::', host), 5);
    for (let again = 0; again < 10; again++) from('2001:db8::', 7);
    assert.equal(bans.covering('2001:db8::ffff'), undefined);
    assert.equal(from('2001:db8::', 8), 5);
    assert.equal(bans.covering('2001:db8::ffff')?.ip, '2001:db8::/64');
    assert.equal(bans.covering('2001:db8:0:1::1'), undefined);
    for (let host = 1; host <= 20; host++) assert.equal(from('64:ff9b::192.0.3.', host), 5);
    assert.equal(bans.covering('64:ff9b::198.51.100.1'), undefined);
  });
});

describe('failure tracker: separate limits', () => {
  it('counts failures with their own limit separately', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, defaults);
    const probe = { trigger: 'closed port', origin: 'port_scan', after: 3, windowMs: 10_000 } as const;
    assert.equal(failTimes(4, failure(attacker)), undefined);
    assert.equal(failTimes(2, failure(attacker, probe)), undefined);
    assert.equal(failTimes(2, failure(attacker, probe)), 1);
    assert.equal(bans.covering(attacker)?.reason, 'port scan: 3 closed ports in 10s');
  });

  it('counts a request once that an event file and an access log report, and a login that the relay and a log report', async (test) => {
    const { failTimes } = await scratchTracker(test, defaults);
    const limits = { after: 5, windowMs: 60_000 };
    const pairs: readonly (readonly [Partial<Failure>, Partial<Failure>])[] = [
      [
        { origin: 'intake', group: 'event', ...limits },
        { origin: 'intake', group: 'access', ...limits },
      ],
      [{ service: 'ssh' }, { origin: 'intake', group: 'login', ...limits }],
    ];
    for (const [index, pair] of pairs.entries()) {
      const ip = `198.51.100.${index}`;
      for (let request = 1; request <= 4; request++)
        for (const report of pair) assert.equal(failTimes(1, failure(ip, report)), undefined);
      assert.equal(failTimes(1, failure(ip, pair[0])), 1);
    }
  });

  it('counts failures with different limits or windows separately', async (test) => {
    const { scratch, bans, failTimes } = await scratchTracker(test, defaults);
    const event = { trigger: 'blocked request', origin: 'intake' } as const;
    const strict = failure(attacker, { ...event, after: 3, windowMs: 3_600_000 });
    const lenient = failure(attacker, { ...event, after: 100, windowMs: 10_000 });
    assert.equal(failTimes(1, strict), undefined);
    assert.equal(failTimes(50, lenient), undefined);
    assert.equal(failTimes(1, strict), undefined);
    scratch.clock += 11_000;
    assert.equal(failTimes(1, lenient), undefined);
    assert.equal(failTimes(1, strict), 1);
    assert.equal(bans.covering(attacker)?.reason, 'logs: 3 blocked requests in 60m');
  });

  it('does not count exempt addresses, including those of this host', async (test) => {
    const { tracker, failTimes } = await scratchTracker(test, defaults);
    for (const ip of ['192.0.2.9', '::ffff:192.0.2.9', '127.0.0.1', 'invalid'])
      assert.equal(failTimes(50, failure(ip)), undefined, ip);
    assert.equal(tracker.size(), 0);
  });

  it('treats a mapped address as IPv4', async (test) => {
    const { failTimes } = await scratchTracker(test, defaults);
    assert.equal(failTimes(3, failure(attacker)), undefined);
    assert.equal(failTimes(3, failure(`::ffff:${attacker}`)), 2);
  });
});

describe('failure tracker: after a ban', () => {
  it('starts again after a ban', async (test) => {
    const { tracker, failTimes } = await scratchTracker(test, defaults);
    assert.equal(failTimes(9, failure(attacker)), 5);
    assert.equal(tracker.size(), 0);
    assert.equal(failTimes(4, failure(attacker)), undefined);
  });

  it('forgets the failures of an address whose ban is lifted', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, defaults);
    assert.equal(failTimes(9, failure(attacker)), 5);
    assert.equal(failTimes(4, failure(attacker)), undefined);
    await bans.remove(attacker);
    assert.equal(failTimes(4, failure(attacker)), undefined);
  });

  it('forgets the failures of the addresses of a network whose ban is lifted', async (test) => {
    const { scratch, bans, failTimes } = await scratchTracker(test, defaults);
    const networks = { [attacker]: '198.51.100.0/24', '2001:db8::1': '2001:db8::/64' };
    for (const [ip, network] of Object.entries(networks)) {
      assert.equal(failTimes(4, failure(ip)), undefined);
      await bans.add({ ip: network, reason: 'test', origin: 'api' });
      scratch.clock += 1000;
      await bans.remove(network);
      assert.equal(failTimes(4, failure(ip)), undefined, ip);
      assert.equal(failTimes(1, failure(ip)), 1, ip);
    }
  });

  it('does not ban a network for addresses whose bans are lifted', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, defaults);
    for (let host = 1; host <= 20; host++) {
      assert.equal(failTimes(5, failure(`2001:db8::${host}`)), 5);
      await bans.remove(`2001:db8::${host}`);
    }
    assert.equal(bans.count(), 0);
  });

  it('counts the addresses of a network again after its ban is lifted', async (test) => {
    const { scratch, bans, failTimes } = await scratchTracker(test, defaults);
    for (let host = 1; host <= 8; host++) assert.equal(failTimes(5, failure(`2001:db8::${host}`)), 5);
    await bans.remove('2001:db8::/64');
    scratch.clock += 1000;
    assert.equal(failTimes(5, failure('2001:db8::9')), 5);
    assert.equal(bans.covering('2001:db8::ffff'), undefined);
  });

  it('does not count failures that happened before the ban was lifted and are reported after', async (test) => {
    const { scratch, bans, failTimes } = await scratchTracker(test, defaults);
    assert.equal(failTimes(9, failure(attacker)), 5);
    const before = scratch.clock;
    await bans.remove(attacker);
    scratch.clock += 1000;
    assert.equal(failTimes(9, failure(attacker, { at: before })), undefined);
    assert.equal(failTimes(9, failure(attacker, { at: before + 1 })), 5);
  });

  it('forgets the addresses of a network whose bans have ended', async (test) => {
    const { scratch, bans, failTimes } = await scratchTracker(test, defaults);
    for (let host = 1; host <= 20; host++) {
      assert.equal(failTimes(5, failure(`2001:db8::${host}`)), 5);
      scratch.clock += 10 * 60_000;
    }
    assert.equal(bans.covering('2001:db8::ffff'), undefined);
  });
});

describe('failure tracker: a burst of logins', () => {
  it('does not ban again for logins that began before the ban', async (test) => {
    const { bans, tracker, failTimes } = await scratchTracker(test, defaults);
    const changes: string[] = [];
    bans.watch(({ kind }) => changes.push(kind));
    failTimes(5, failure(attacker));
    for (let count = 0; count < 80; count += 1) assert.equal(tracker.fail(failure(attacker)), false);
    assert.deepEqual(changes, ['banned']);
  });
});

describe('failure tracker: a clock that is set back', () => {
  it('counts failures again after the clock was set back behind a lift, and forgets those before the next lift', async (test) => {
    const { scratch, bans, failTimes } = await scratchTracker(test, defaults);
    const ban = () => bans.add({ ip: '198.51.100.0/24', reason: 'test', origin: 'api' });
    const lift = () => bans.remove('198.51.100.0/24');
    const day = 24 * 60 * 60_000;
    scratch.clock += day;
    await ban();
    await lift();
    assert.equal(failTimes(1, failure(attacker)), undefined);
    scratch.clock -= day;
    assert.equal(failTimes(9, failure('198.51.100.8', { at: scratch.clock })), 5);
    assert.equal(failTimes(4, failure(attacker, { at: scratch.clock })), undefined);
    await ban();
    scratch.clock += 1000;
    await lift();
    scratch.clock += 1000;
    assert.equal(failTimes(9, failure(attacker, { at: scratch.clock })), 5);
  });
});

describe('failure tracker: services', () => {
  it('counts across services without their own limit', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, services);
    assert.equal(failTimes(2, failure(attacker, { service: 'ftp' })), undefined);
    assert.equal(failTimes(4, failure(attacker, { service: 'imap', trigger: 'refused password' })), 3);
    assert.equal(bans.covering(attacker)?.reason, 'ftp, imap: 5 failures in 60s');
  });

  it('bans earlier where a service is stricter', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, services);
    assert.equal(failTimes(9, failure(attacker, { service: 'ssh' })), 3);
    assert.equal(bans.covering(attacker)?.reason, 'ssh: 3 failed logins in 60s');
  });

  it('allows a service a higher limit, or none', async (test) => {
    const { failTimes } = await scratchTracker(test, services);
    assert.equal(failTimes(50, failure(attacker, { service: 'smtp' })), 20);
    assert.equal(failTimes(50, failure('198.51.100.8', { service: 'vnc' })), undefined);
  });

  it('quotes reported triggers', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, services);
    failTimes(5, failure(attacker, { service: 'ftp', origin: 'api', trigger: 'bad key' }));
    assert.equal(bans.covering(attacker)?.reason, 'ftp: 5 x bad key in 60s');
  });

  it('applies a new configuration', async (test) => {
    const { tracker, failTimes } = await scratchTracker(test, services);
    assert.equal(failTimes(1, failure(attacker, { service: 'ftp' })), undefined);
    tracker.configure(configOf('version: 1\nglobal: {ban_after_failures: 2}'));
    assert.equal(failTimes(1, failure(attacker, { service: 'ftp' })), 1);
  });
});

describe('failure tracker: IPv6', () => {
  it('bans a single address', async (test) => {
    const { bans, failTimes } = await scratchTracker(test, defaults);
    assert.equal(failTimes(9, failure('2001:db8::1')), 5);
    assert.equal(bans.covering('2001:db8::2'), undefined);
  });

  it('bans the network of a client that uses many addresses', async (test) => {
    const { bans, tracker } = await scratchTracker(test, defaults);
    const hosts = Array.from({ length: 20 }, (_, host) => `2001:db8::${host + 1}`);
    const banned = hosts.findIndex((ip) => tracker.fail(failure(ip)));
    assert.equal(banned, 12); // eight addresses count separately; the fifth failure after them bans the network
    assert.equal(bans.covering('2001:db8::ffff')?.ip, '2001:db8::/64');
    assert.equal(bans.covering('2001:db8:0:1::1'), undefined);
  });

  it('bans a network except the exempt addresses in it', async (test) => {
    const yaml = 'version: 1\nglobal: {ban_after_failures: 5, never_ban: ["2001:db8::ff"]}';
    const { bans, tracker } = await scratchTracker(test, yaml);
    const hosts = Array.from({ length: 13 }, (_, host) => `2001:db8::${host + 1}`);
    assert.equal(
      hosts.findIndex((ip) => tracker.fail(failure(ip))),
      12,
    );
    assert.equal(bans.covering('2001:db8::fe')?.ip, '2001:db8::/64');
    assert.equal(bans.covering('2001:db8::ff'), undefined);
    assert.equal(bans.count(), 1);
  });

  it('bans a network whose addresses were counted together elsewhere', async (test) => {
    const yaml = 'version: 1\nglobal: {ban_after_failures: 5, never_ban: ["2001:db8:0:1::ff"]}';
    const { bans, failTimes } = await scratchTracker(test, yaml);
    failTimes(5, failure('2001:db8::/64'));
    assert.equal(bans.covering('2001:db8::1')?.ip, '2001:db8::/64');
    failTimes(5, failure('2001:db8:0:1::/64')); // the /64 contains an exempt address, to which the ban does not apply
    assert.deepEqual([bans.count(), bans.covers('2001:db8:0:1::1')], [2, true]);
  });
});

/** An address in /64 number `network` of one /48. */
const ofSite = (network: number) => `2001:db8:7:${network.toString(16)}::1`;
const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const siteBan = '2001:db8:7::/48';

describe('failure tracker: IPv6 /48', () => {
  it('bans a /48 whose /64 fail together', async (test) => {
    const { bans, tracker } = await scratchTracker(test, defaults);
    const banned = numbersTo(400).findIndex((network) => tracker.fail(failure(ofSite(network))));
    assert.equal(banned, 99); // index of failure 100: the factor 20 of a /48 times the limit of 5
    assert.equal(bans.covering(ofSite(401))?.ip, siteBan);
    assert.equal(bans.covering(ofSite(401))?.reason, 'all services: 100 failed logins in 60s');
    assert.equal(bans.covering('2001:db8:8::1'), undefined);
    assert.equal(tracker.size(), 100); // the addresses, without the /48
  });

  it('counts failures of every origin with a multiple of its limit', async (test) => {
    const { bans, tracker } = await scratchTracker(test, defaults);
    const origins: readonly Partial<Failure>[] = [
      { origin: 'api', service: 'reported' },
      { origin: 'intake', after: 2, windowMs: 3_600_000 },
      { origin: 'port_scan', after: 3, windowMs: 10_000 },
    ];
    const bannedAt = origins.map((more) => {
      const at = numbersTo(400).findIndex((network) => tracker.fail(failure(ofSite(network), more)));
      void bans.remove(siteBan);
      return at + 1;
    });
    assert.deepEqual(bannedAt, [100, 40, 60]);
  });

  it('bans a /48 in which one /64 is banned after the other', async (test) => {
    const { scratch, bans, failTimes } = await scratchTracker(test, defaults);
    const banned = numbersTo(50).findIndex((network) => {
      assert.equal(failTimes(5, failure(ofSite(network), { service: 'ssh' })), 5);
      scratch.clock += 100_000; // longer than the window
      return bans.covers(ofSite(51));
    });
    assert.equal(banned, 19);
    assert.equal(bans.covering(ofSite(51))?.reason, 'ssh: 20 bans in 60m');
  });
});

describe('failure tracker: no ban of an IPv6 /48', () => {
  it('does not ban a /48 for one address that others report again and again, nor for one /64', async (test) => {
    const { bans, tracker, failTimes } = await scratchTracker(test, defaults);
    for (const host of numbersTo(400)) tracker.fail(failure(`2001:db8:7:1::${host}`));
    for (let again = 0; again < 20; again++) failTimes(50, failure('2001:db8:7:1::1', { origin: 'api' }));
    assert.equal(bans.covering('2001:db8:7:1::1')?.ip, '2001:db8:7:1::/64');
    assert.equal(bans.covering(ofSite(2)), undefined);
  });

  it('bans no /48 where the factor is 0', async (test) => {
    const { bans, tracker } = await scratchTracker(test, 'version: 1\nglobal: {ban_site_factor: 0}');
    for (const network of numbersTo(400)) tracker.fail(failure(ofSite(network)));
    assert.equal(bans.count(), 0);
  });

  it('forgets the failures of a /48 whose ban, or one in it, is lifted', async (test) => {
    const { bans, tracker, failTimes } = await scratchTracker(test, defaults);
    const failEach = (count: number) => numbersTo(count).some((network) => tracker.fail(failure(ofSite(network))));
    assert.equal(failEach(94), false);
    assert.equal(failTimes(5, failure(ofSite(1000))), 5);
    await bans.remove(ofSite(1000));
    assert.equal(failEach(99), false);
    assert.equal(failEach(1), true);
    await bans.remove(siteBan);
    assert.equal(failEach(99), false);
  });

  it('does not count translated IPv4 addresses as one /48', async (test) => {
    const { bans, tracker } = await scratchTracker(test, defaults);
    for (const host of numbersTo(200)) tracker.fail(failure(`64:ff9b:1::198.51.100.${host}`));
    assert.equal(bans.count(), 0);
  });

  it('bans a /48 except the exempt addresses in it', async (test) => {
    const yaml = `version: 1\nglobal: {never_ban: ["${ofSite(500)}"]}`;
    const { bans, tracker } = await scratchTracker(test, yaml);
    for (const network of numbersTo(100)) tracker.fail(failure(ofSite(network)));
    assert.deepEqual([ofSite(499), ofSite(500)].map(bans.covers), [true, false]);
  });
});

describe('failure tracker: repeated passwords', () => {
  const guess = (fingerprint: string, more: Partial<Failure> = {}) =>
    failure(attacker, { service: 'ftp', fingerprint, ...more });

  it('counts a password once within the window, and others each', async (test) => {
    const { failTimes } = await scratchTracker(test, services);
    assert.equal(failTimes(50, guess('old'), 1000), undefined);
    assert.deepEqual(['a', 'b', 'c', 'd'].map((one) => failTimes(3, guess(one))).filter(Boolean), [1]);
  });

  it('counts it again when the window has passed', async (test) => {
    const { tracker, scratch, failTimes } = await scratchTracker(test, services);
    failTimes(2, guess('old'), 59_000);
    for (const one of ['a', 'b', 'c', 'd']) assert.equal(tracker.fail(guess(one)), false);
    scratch.clock += 1000; // 119 s after the first failure
    assert.equal(tracker.fail(guess('old')), true);
  });

  it('counts it at each service, for each address, and after an unban', async (test) => {
    const { scratch, tracker, bans, failTimes } = await scratchTracker(test, services);
    for (const service of ['ftp', 'imap', 'ftp', 'imap']) tracker.fail(guess('old', { service }));
    assert.equal(failTimes(3, failure(attacker, { service: 'ftp' })), 3);
    await bans.remove(attacker);
    scratch.clock += 1;
    assert.equal(failTimes(9, guess('old')), undefined);
    for (const one of ['a', 'b', 'c']) assert.equal(tracker.fail(guess(one)), false);
    assert.equal(tracker.fail(guess('d')), true);
    for (let host = 1; host <= 5; host++)
      assert.equal(tracker.fail({ ...guess('old'), ip: `203.0.113.${host}` }), false);
    assert.equal(tracker.size(), 5);
  });

  it('counts failures without a visible password each', async (test) => {
    const { failTimes } = await scratchTracker(test, services);
    assert.equal(failTimes(9, failure(attacker, { service: 'ftp' })), 5);
  });
});
