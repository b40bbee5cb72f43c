import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { rangeLines } from '../contract/policy/ban-list.ts';
import { limits } from '../contract/policy/limits.ts';
import { Policy, type PolicyFile } from '../contract/policy/schema.ts';
import { type Address, parseAddress } from '../contract/values/address.ts';
import { openBanTable } from './ban-list.ts';
import { banListFile, readBanList } from './ban-list-file.ts';
import { compile } from './index.ts';
import type { GuardRequest } from './request.ts';

const mapped = 0xffffn << 32n;
const addressOf = (ip: string) => parseAddress(ip) as Address;
const numberOf = (ip: string): bigint => {
  const { family, value } = addressOf(ip);
  return family === 4 ? mapped | value : value;
};
const seconds = 1_800_000_000;
const lines = (start: string, end = start, until = seconds + 60) =>
  rangeLines({ start: numberOf(start), end: numberOf(end), until });

function tableOf(...ranges: string[]) {
  const table = openBanTable(banListFile(ranges, seconds));
  assert('has' in table, JSON.stringify(table));
  return table;
}

describe('a ban list', () => {
  const table = tableOf(
    lines('::2'),
    lines('192.0.2.1'),
    lines('198.51.100.0', '198.51.100.255'),
    lines('203.0.113.9', '203.0.113.9', seconds - 1),
    lines('2001:db8::', '2001:db8::ffff', seconds + 10 * limits.banListSeconds),
  );
  const has = (ip: string, at = seconds) => table.has(addressOf(ip), at * 1000);
  it('has the addresses of its ranges', () =>
    assert.deepEqual(
      ['::2', '192.0.2.1', '198.51.100.0', '198.51.100.9', '198.51.100.255', '2001:db8::', '2001:db8::ffff'].map((ip) =>
        has(ip),
      ),
      Array(7).fill(true),
    ));
  it('has no other addresses', () =>
    assert.deepEqual(
      ['::1', '::3', '192.0.2.0', '192.0.2.2', '198.51.101.0', '203.0.113.9', '2001:db8::1:0', 'ffff::'].map((ip) =>
        has(ip),
      ),
      Array(8).fill(false),
    ));
  it('forgets a ban at its end, and each a day after it was written', () => {
    assert.deepEqual([has('192.0.2.1', seconds + 59), has('192.0.2.1', seconds + 60)], [true, false]);
    const day = seconds + limits.banListSeconds;
    assert.deepEqual([has('2001:db8::', day - 1), has('2001:db8::', day)], [true, false]);
  });
});

test('a range of every address bans each address', () => {
  const table = openBanTable(
    banListFile([rangeLines({ start: 0n, end: (1n << 128n) - 1n, until: seconds + 60 })], seconds),
  );
  for (const ip of ['::', '0.0.0.0', '192.0.2.1', '2001:db8::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'])
    assert.equal('has' in table && table.has(addressOf(ip), seconds * 1000), true, ip);
});

describe('a damaged ban list', () => {
  const good = banListFile([lines('192.0.2.1')], seconds).toString();
  const files: Readonly<Record<string, string | Buffer>> = {
    'is empty': '',
    'was cut': good.slice(0, 70),
    'has another version': good.replace('bans 1', 'bans 2'),
    'has another count': good.replace('end 00000001', 'end 00000002'),
    'has another digit': good.replace('c0000201\n', 'c0000200\n'),
    'is not sorted': banListFile([lines('192.0.2.9'), lines('192.0.2.1')], seconds),
    'has a range twice': banListFile([lines('192.0.2.1'), lines('192.0.2.1')], seconds),
    overlaps: banListFile([lines('192.0.2.1', '192.0.2.9'), lines('192.0.2.9', '192.0.2.10')], seconds),
    'has an end before its start': banListFile([lines('192.0.2.9', '192.0.2.1')], seconds),
    'has capitals': banListFile([lines('192.0.2.1').toUpperCase()], seconds),
    'has no line end behind its last range': banListFile([lines('192.0.2.1').replace(/\n$/, '-')], seconds),
    'has no line end behind a block': banListFile(
      Array.from({ length: limits.banListBlock + 1 }, (_, index) => {
        const range = rangeLines({ start: BigInt(index), end: BigInt(index), until: seconds });
        return index === limits.banListBlock - 1 ? range.replace(/\n$/, '-') : range;
      }),
      seconds,
    ),
    'has too many ranges': Buffer.alloc(44 + (limits.banListRanges + 1) * 75),
  };
  for (const [name, file] of Object.entries(files))
    it(`is refused when it ${name}`, () => assert('fault' in readBanList(Buffer.from(file))));
});

describe('a banned client', () => {
  const bans = { has: (address: Address) => address.value === addressOf('192.0.2.1').value };
  const reasonOf = (policy: PolicyFile, request: Partial<GuardRequest> = {}) => {
    const whole = { method: 'GET', target: '/', headers: [], ip: '192.0.2.1', bans, ...request };
    return compile(Policy.parse(policy)).evaluate(whole).reason;
  };
  it('is blocked before everything else, whatever the method is', () => {
    assert.equal(reasonOf({}), 'banned');
    assert.equal(reasonOf({}, { method: 'DELETE' }), 'banned');
    assert.equal(reasonOf({ allowPatterns: ['.'] }), 'banned');
    assert.equal(reasonOf({ mode: 'detect' }, { target: '/.env' }), 'banned');
  });
  it('is allowed with enabled: false, in allowedIps, and without an address', () => {
    assert.equal(reasonOf({ enabled: false }), 'disabled');
    assert.equal(reasonOf({ allowedIps: ['192.0.2.0/24'] }), 'allowed_ip');
    assert.equal(reasonOf({}, { ip: '' }), 'no_match');
  });
  it('is the one that trustedProxies yields', () => {
    const trustedProxies = ['10.0.0.0/8'];
    const headers = [['X-Forwarded-For', '198.51.100.1, 192.0.2.1, 10.0.0.2']] as const;
    assert.equal(reasonOf({ trustedProxies }, { ip: '10.0.0.1', headers }), 'banned');
    assert.equal(reasonOf({ trustedProxies }, { ip: '192.0.2.1', headers }), 'banned');
    assert.equal(reasonOf({}, { ip: '10.0.0.1', headers }), 'no_match');
    const forged = [['X-Forwarded-For', '192.0.2.1, 198.51.100.1']] as const;
    assert.equal(reasonOf({ trustedProxies }, { ip: '10.0.0.1', headers: forged }), 'no_match');
  });
});
