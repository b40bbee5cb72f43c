import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import { formatAddress, networksOf } from '../../contract/values/address.ts';
import { clientAddress } from '../../engine/client-address.ts';
import { clientRows, explainClient } from './client.ts';

const explained = (trustedProxies: readonly string[], ip: string | undefined, ...lines: readonly string[]) =>
  explainClient(
    {
      ...{ method: 'GET', target: '/', headers: lines.map((line) => ['X-Forwarded-For', line] as const) },
      ...(ip !== undefined && { ip }),
    },
    Policy.parse({ trustedProxies: [...trustedProxies] }),
  );

test('names the entry that trusts each address, and the network of a preset', () => {
  const result = explained(['192.0.2.0/24', 'cloudflare'], '192.0.2.1', '9.9.9.9, 198.51.100.7', '104.16.0.3');
  assert.deepEqual(
    result.steps.map(({ address, trustedBy }) => [address, trustedBy]),
    [
      ['192.0.2.1', { entry: '192.0.2.0/24' }],
      ['104.16.0.3', { entry: 'cloudflare', network: '104.16.0.0/13' }],
      ['198.51.100.7', undefined],
    ],
  );
  assert.deepEqual([result.address, result.ignored], ['198.51.100.7', 1]);
  assert.deepEqual(clientRows(result), [
    ['peer', '192.0.2.1', 'trusted by "192.0.2.0/24": the next entry counts'],
    ['X-Forwarded-For', '104.16.0.3', 'trusted by "cloudflare" (104.16.0.0/13): the next entry counts'],
    ['X-Forwarded-For', '198.51.100.7', 'not in trustedProxies: this is the client'],
    ['', '', 'entries that a client can send: 1 not read'],
    ['client', '198.51.100.7', ''],
  ]);
});

test('says where the search ends', () => {
  const lastTexts = (...args: Parameters<typeof explained>) => clientRows(explained(...args)).map((row) => row.at(-1));
  assert.deepEqual(lastTexts(['private'], '10.0.0.1', 'x, unknown'), [
    'trusted by "private" (10.0.0.0/8): the next entry counts',
    'not an address: the search ends',
    'entries that a client can send: 1 not read',
    '',
  ]);
  assert.match(lastTexts(['private'], '10.0.0.1')[0] ?? '', /no entry is left: this is the client$/);
  assert.deepEqual(lastTexts([], undefined, '1.1.1.1').slice(-1), ['the peer has no address']);
  assert.equal(explained([], '8.8.8.8', '1.1.1.1').address, '8.8.8.8');
});

test('finds the address that the engine finds', () => {
  const trusted = ['10.0.0.0/30', '2001:db8::/64'];
  const texts = [
    '10.0.0.1',
    '10.0.0.9',
    '[2001:db8::1]:80',
    '2001:db8:1::1',
    '::ffff:10.0.0.2',
    '010.0.0.1',
    '',
    ' x ',
  ];
  for (const ip of texts)
    for (const first of texts)
      for (const second of texts) {
        const headers = [['x-forwarded-for', `${first},\t${second} `]] as const;
        const request = { method: 'GET', target: '/', headers, ip };
        const found = clientAddress(request, networksOf(trusted));
        const { address } = explainClient(request, Policy.parse({ trustedProxies: trusted }));
        assert.equal(address, found ? formatAddress(found) : null, `${ip}: ${first}, ${second}`);
      }
});
