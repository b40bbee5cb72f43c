import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Marks } from './marks.ts';
import { formatWindow } from './reason.ts';
import { Tallies } from './tallies.ts';

const counters = [{ key: '', after: 5, windowMs: 60_000 }];

function fail(tallies: Tallies, ip: string, now = 0, applying = counters): boolean {
  const key = tallies.keyOf(ip, now);
  return (
    key !== undefined &&
    tallies.tallyOf(key).add({ ip, trigger: 'failed login', origin: 'local' }, applying, now) !== undefined
  );
}

function failTimes(count: number, tallies: Tallies, ip: string): void {
  for (let number = 0; number < count; number++) fail(tallies, ip);
}

function failTwice(tallies: Tallies, ip: string, now: number): void {
  for (const at of [now, now + 1000]) fail(tallies, ip, at);
}

const address = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

describe('tallies of many addresses', () => {
  it('stays within its bounds', () => {
    const tallies = new Tallies({ addresses: 100, perNetwork: 8 });
    for (let number = 0; number < 10_000; number++) fail(tallies, address(number));
    for (let number = 0; number < 300; number++) failTimes(3, tallies, address(number));
    assert.equal(tallies.size, 100);
  });

  it('keeps an address that fails again while others fail once each', () => {
    const tallies = new Tallies({ addresses: 100, perNetwork: 8 });
    for (let count = 0; count < 4; count++) fail(tallies, '198.51.100.7');
    for (let number = 0; number < 10_000; number++) fail(tallies, address(number));
    assert.ok(fail(tallies, '198.51.100.7'));
  });

  it('keeps room for new addresses when all others have failed again', () => {
    const tallies = new Tallies({ addresses: 100, perNetwork: 8 });
    for (let number = 0; number < 500; number++) failTimes(2, tallies, address(number));
    for (let count = 0; count < 4; count++) {
      assert.ok(!fail(tallies, '198.51.100.7'));
      for (let number = 0; number < 20; number++) fail(tallies, address(1000 + count * 20 + number));
    }
    assert.ok(fail(tallies, '198.51.100.7'));
  });

  it('is not filled by one IPv6 network', () => {
    const tallies = new Tallies({ addresses: 100, perNetwork: 8 });
    for (let host = 1; host < 1000; host++) fail(tallies, `2001:db8::${host.toString(16)}`);
    assert.equal(tallies.size, 9);
  });

  it('counts every translated IPv4 address separately: their /64 contains all of IPv4', () => {
    const tallies = new Tallies({ addresses: 100, perNetwork: 8 });
    for (let host = 1; host <= 20; host++) fail(tallies, `64:ff9b::192.0.2.${host}`);
    assert.equal(tallies.size, 20);
    assert.equal(tallies.keyOf('64:ff9b::198.51.100.1', 0), '64:ff9b::c633:6401');
  });

  it('forgets an address without a failure within the window', () => {
    const tallies = new Tallies();
    for (let number = 0; number < 50; number++) fail(tallies, address(number));
    for (let host = 1; host < 20; host++) fail(tallies, `2001:db8::${host}`);
    fail(tallies, '198.51.100.7', 60_001);
    assert.equal(tallies.size, 1);
    for (let host = 1; host < 20; host++) fail(tallies, `2001:db8::${host}`, 60_002);
    assert.equal(tallies.size, 10); // after the eviction, eight addresses of the network have separate tallies again
  });
});

describe('tallies with windows of different lengths', () => {
  const day = [{ key: 'port_scan', after: 5, windowMs: 86_400_000 }];

  it('counts addresses of a network separately again when the window of the earlier ones is over', () => {
    const tallies = new Tallies();
    fail(tallies, '198.51.100.7', 0, day);
    for (let host = 1; host <= 8; host++) fail(tallies, `2001:db8::${host}`);
    assert.equal(tallies.keyOf('2001:db8::9', 30_000), '2001:db8::/64');
    assert.equal(tallies.keyOf('2001:db8::9', 60_001), '2001:db8::9');
    assert.equal(tallies.size, 1);
  });

  it('keeps an address with a long window while many with short ones come and go', () => {
    const tallies = new Tallies({ addresses: 100, perNetwork: 8 });
    for (let count = 0; count < 4; count++) assert.ok(!fail(tallies, '198.51.100.7', 0, day));
    for (let number = 0; number < 1000; number++) failTwice(tallies, address(number), number * 2000);
    assert.ok(fail(tallies, '198.51.100.7', 2_000_000, day));
  });
});

describe('marks', () => {
  it('does not count failures older than the window, in bounded memory', () => {
    const marks = new Marks();
    const times: number[] = [];
    for (let now = 0; now < 300_000; now += 37) {
      times.push(now);
      const counted = marks.add(now, 60_000);
      const within = times.filter((time) => time > now - 60_000).length;
      assert.ok(counted <= within && counted >= within * 0.96, `${counted} of ${within}`);
    }
    assert.ok(marks.size <= 65);
  });

  it('forgets failures in the future when the clock is set back', () => {
    const marks = new Marks();
    for (let count = 0; count < 4; count++) marks.add(1_000_000 + count * 10_000, 60_000);
    assert.equal(marks.add(500_000, 60_000), 1);
  });

  it('forgets only failures in the future when the clock is set back within the window', () => {
    const marks = new Marks();
    for (const now of [0, 20_000, 40_000]) marks.add(now, 60_000);
    assert.equal(marks.add(30_000, 60_000), 3);
    assert.equal(marks.add(90_000, 60_000), 1);
  });
});

describe('text of a window', () => {
  it('uses the units that people write', () => {
    const expected = { 1500: '1500ms', 1000: '1s', 60000: '60s', 90000: '90s', 120000: '2m', 7200000: '2h' };
    for (const [ms, text] of Object.entries(expected)) assert.equal(formatWindow(Number(ms)), text);
  });
});
