import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Address,
  contains,
  formatAddress,
  forwardedAddress,
  type Network,
  parseAddress,
  parseNetwork,
} from './address.ts';

const formatted = (address: Address | undefined) => address && formatAddress(address);
const network = (text: string) => parseNetwork(text) as Network;
const address = (text: string) => parseAddress(text) as Address;

describe('parseAddress', () => {
  const readings: readonly (readonly [text: string, canonical: string])[] = [
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8:0:0:1:0:0:0', '2001:db8:0:0:1::'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
  ];
  for (const [text, canonical] of readings)
    it(`reads ${text} as ${canonical}`, () => assert.equal(formatted(parseAddress(text)), canonical));

  const others = [
    '',
    '1',
    '10.1',
    '010.0.0.1',
    '1.2.3.256',
    '1.2.3.4.5',
    '1.2.3.4 ',
    '0x1.2.3.4',
    '1:2',
    ':::',
    '1::2::3',
    '12345::',
    'fe80::1%eth0',
    '[::1]',
    '1.2.3.4:80',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '1:2:3:4:5:6:7:8::',
    '١.2.3.4',
  ];
  for (const text of others) it(`refuses ${text || 'nothing'}`, () => assert.equal(parseAddress(text), undefined));
});

describe('parseNetwork', () => {
  it('masks host bits', () => assert.deepEqual(network('10.1.2.3/8'), network('10.0.0.0/8')));
  it('takes an address as a network of one', () => assert.equal(network('::1').length, 128));
  it('counts the prefix of a mapped address from its IPv4 part', () =>
    assert.deepEqual(network('::ffff:10.0.0.0/104'), network('10.0.0.0/8')));

  for (const text of [
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::ffff:10.0.0.0/95',
    '10.0.0.0/-1',
  ])
    it(`refuses ${text}`, () => assert.equal(parseNetwork(text), undefined));
});

describe('contains', () => {
  const cases: readonly (readonly [network: string, address: string, isIn: boolean])[] = [
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '0.0.0.0', false],
    ['2001:db8::/33', '2001:db8:7fff::', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ];
  for (const [net, text, isIn] of cases)
    it(`${net} ${isIn ? 'has' : 'does not have'} ${text}`, () =>
      assert.equal(contains(network(net), address(text)), isIn));
});

describe('forwardedAddress', () => {
  for (const entry of ['192.0.2.1', '192.0.2.1:8080', '[192.0.2.1]', '[::ffff:192.0.2.1]:1'])
    it(`reads ${entry}`, () => assert.equal(formatted(forwardedAddress(entry)), '192.0.2.1'));
  for (const entry of ['', ' 192.0.2.1', '192.0.2.1:', '192.0.2.1:123456', '[::1', '[]', 'unknown', '::1]:80'])
    it(`refuses ${JSON.stringify(entry)}`, () => assert.equal(forwardedAddress(entry), undefined));
});
