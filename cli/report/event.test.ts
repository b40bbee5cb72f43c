import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventLines } from '../../conformance/events/lines.ts';
import { type Details, readEvent } from './event.ts';

const block = {
  ...{ type: 'guard_block', timestamp: '2026-11-21T00:02:03.004Z', gateway: 'caddy', client_ip: '192.0.2.1' },
  ...{ path: '/.env', rule_id: 'env-file', reason: 'block_pattern_match' },
};
const audit = {
  ...{ type: 'security_event', timestamp: '2026-11-21T00:02:03.004Z', service: 'ssh', client_ip: '192.0.2.1' },
  ...{ country_code: 'DE', action: 'blocked', reason: 'ban' },
};
const counted = {
  type: 'guard_block_summary',
  timestamp: '2026-11-21T00:02:03.004Z',
  gateway: 'nginx',
  count: 25,
  clients: [{ client: '192.0.2.1', count: 25 }],
  others: 0,
};
const at = Date.parse(block.timestamp);

const read = (value: unknown) => readEvent(JSON.stringify(value));
const details: Details = { rule: 'env-file', ip: '192.0.2.1', country: '', path: '/.env' };
const event = { layer: 'gateway', source: 'caddy', outcome: 'blocked', at, count: 1, details };

describe('a line', () => {
  it('of a gateway is read', () => assert.deepEqual(read(block), event));
  it('of mode detect has its own outcome', () => {
    assert.deepEqual(read({ ...block, type: 'guard_detect' }), { ...event, outcome: 'detected' });
  });
  it('without a rule has its reason', () => {
    const limit = { ...event, details: { ...details, rule: 'target_too_long' } };
    assert.deepEqual(read({ ...block, rule_id: '', reason: 'target_too_long' }), limit);
  });
  it('of tcp-guard is read, with the number of events that it summarizes', () => {
    const own = { rule: 'ban', ip: '192.0.2.1', country: 'DE', path: undefined };
    const expected = { layer: 'tcp-guard', source: 'tcp-guard', outcome: 'blocked', at, count: 990, details: own };
    assert.deepEqual(read({ ...audit, count: 990 }), expected);
  });
  it('that only counts has no details', () => {
    assert.deepEqual(read(counted), { layer: 'gateway', source: 'nginx', outcome: 'blocked', at, count: 25 });
  });
  it('has its UTF-8 decoded, and what is not UTF-8 replaced', () => {
    const utf8 = Buffer.from(JSON.stringify({ ...block, path: '/\u00e4', rule_id: 'BYTE' })).toString('latin1');
    const { path, rule } = (readEvent(utf8.replace('BYTE', '\xff')) as { details: Details }).details;
    assert.deepEqual({ path, rule }, { path: '/\u00e4', rule: '\ufffd' });
  });
});

const refusals: readonly (readonly [string, unknown, string])[] = [
  ['of another program', { level: 'info', msg: 'started' }, 'otherRecords'],
  ['with a fault of tcp-guard', { type: 'fault', message: 'x' }, 'otherRecords'],
  ['that is a list', [block], 'otherRecords'],
  ['that is null', null, 'otherRecords'],
  ['whose type is a name of a prototype', { ...block, type: '__proto__' }, 'otherRecords'],
  ['whose type is a list', { ...block, type: ['guard_block'] }, 'otherRecords'],
  ['without a time', { ...block, timestamp: undefined }, 'malformed'],
  ['with a time in another form', { ...block, timestamp: 'Nov 21 2026 00:02:03' }, 'malformed'],
  ['with a time that is a number', { ...block, timestamp: 1 }, 'malformed'],
  ['with a time of no calendar', { ...audit, timestamp: '2026-13-45T99:00:00Z' }, 'malformed'],
  ['with a long time', { ...block, timestamp: `2026-11-21T00:00:00.${'0'.repeat(1000)}Z` }, 'malformed'],
  ['without a gateway', { ...block, gateway: '' }, 'malformed'],
  ['with an address that is an object', { ...block, client_ip: {} }, 'malformed'],
  ['with an address of 65 characters', { ...audit, client_ip: '1'.repeat(65) }, 'malformed'],
  ['without a path', { ...block, path: undefined }, 'malformed'],
  ['without a rule and a reason', { ...block, rule_id: '', reason: '' }, 'malformed'],
  ['with an unknown action', { ...audit, action: 'constructor' }, 'malformed'],
  ['with a country of markup', { ...audit, country_code: '<b' }, 'malformed'],
  ...[0, -1, 1.5, 1e10, '7', null].map(
    (count) => [`with the count ${count}`, { ...audit, count }, 'malformed'] as const,
  ),
  ['that counts nothing', { ...counted, count: undefined }, 'malformed'],
];

describe('a line is refused', () => {
  for (const [name, value, expected] of refusals) it(name, () => assert.equal(read(value), expected));
  for (const line of ['{"type":"guard_block"', 'GET / HTTP/1.1', '\0', '{'.repeat(60_000)])
    it(`as no JSON: ${JSON.stringify(line.slice(0, 20))}`, () => assert.equal(readEvent(line), 'notJson'));
});

describe('the report', () => {
  for (const { name, line, outcome, gateway, count } of eventLines(new Date(at)))
    it(`counts like every reader a line ${name}`, () => {
      const read = readEvent(Buffer.from(line).toString('latin1'));
      if (typeof read === 'string') return assert.equal(outcome, 'unparsed', read);
      assert.ok('outcome' in read);
      assert.deepEqual([read.outcome, read.source, read.count], [outcome, gateway, count]);
      assert.ok(Math.abs(read.at - at) < 1000, String(read.at));
    });
});
