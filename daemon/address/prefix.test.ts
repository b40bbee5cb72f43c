import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAddress, parseAddress } from '../../contract/values/address.ts';
import { createNumbers, type Numbers } from '../bans/testing/samples.ts';
import { comparePrefixes, covers, formatPrefix, type Prefix, readAddress, readPrefix } from './prefix.ts';

const texts = [
  ...['0.0.0.0', '255.255.255.255', '192.0.2.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '256.1.1.1', '1..2.3', '1.2.3.', ''],
  ...[
    '::',
    '::1',
    '1::',
    '2001:db8::1',
    '2001:DB8:0:0:0:0:0:1',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
  ],
  ...[
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8::',
    ':1',
    '1:',
    ':::',
    '1::2::3',
    '12345::',
    'g::',
    '1:::2',
  ],
  ...['::\u0131', '1:2:3:4:5:6:7:\u{1f600}', '1:2:3:4:5:6:7:8\0', '1:2:3:4:5:6:7:8\0:9', '1::\ud800'],
  ...[
    '::ffff:192.0.2.1',
    '::ffff:c000:201',
    '::192.0.2.1',
    '1:2:3:4:5:6:1.2.3.4',
    '1:2:3:4:5:6:7:1.2.3.4',
    '1.2.3.4::',
  ],
  ...[
    '::1.2.3',
    '::1.2.3.4:5',
    'fe80::1%eth0',
    '1.2.3.4 ',
    ' ::1',
    '::ffff:1.2.3.04',
    'abcd',
    '1:2',
    '...',
    '::ffff:0:0',
  ],
];

const pieces = ['::', ':', '.', '0', '1', 'ff', 'ffff', '10', '255', '256', '2001', 'db8', '192.0.2.1', '0:0'];

/** Returns a text of random tokens of addresses. Most of these texts are nearly addresses, some are addresses. */
const near = (below: Numbers): string =>
  Array.from({ length: 1 + below(12) }, () => pieces[below(pieces.length)]).join('');

describe('addresses as words', () => {
  it('parses exactly what contract/values/address.ts parses', () => {
    const words = new Uint32Array(4);
    const below = createNumbers(5);
    const nearTexts = Array.from({ length: 20_000 }, () => near(below));
    let addresses = 0;
    for (const text of [...texts, ...nearTexts]) {
      const expected = parseAddress(text);
      const family = readAddress(text, words);
      assert.equal(family, expected?.family ?? 0, text);
      if (family === 0 || !expected) continue;
      addresses++;
      assert.equal(formatPrefix(readPrefix(text) as Prefix), formatAddress(expected), text);
    }
    assert.ok(addresses > 100);
  });

  it('formats as contract/values/address.ts does', () => {
    const below = createNumbers(6);
    const group = () => (below(2) === 0 ? 0 : below(65_536)); // half of the groups are zero: many runs of zeros
    for (let count = 0; count < 5000; count++) {
      const text = Array.from({ length: 8 }, () => group().toString(16)).join(':');
      const address = parseAddress(text);
      assert.equal(formatPrefix(readPrefix(text) as Prefix), address && formatAddress(address));
    }
  });

  it('reads networks and clears host bits', () => {
    const canonical = (text: string) => formatPrefix(readPrefix(text) as Prefix);
    assert.equal(canonical('192.0.2.77/24'), '192.0.2.0/24');
    assert.equal(canonical('192.0.2.77/32'), '192.0.2.77');
    assert.equal(canonical('::ffff:192.0.2.77/120'), '192.0.2.0/24');
    assert.equal(canonical('2001:db8:1:2:3::/48'), '2001:db8:1::/48');
    assert.equal(canonical('2001:db8::1/128'), '2001:db8::1');
    for (const bad of ['192.0.2.1/33', '192.0.2.1/', '/24', '2001:db8::/129', 'host'])
      assert.equal(readPrefix(bad), undefined);
  });

  it('orders by family, address and length, and compares coverage', () => {
    const sorted = ['10.0.0.0/8', '10.0.0.0', '10.0.0.0/9', '9.0.0.1', '2001:db8::/32', '::1']
      .map((text) => readPrefix(text) as Prefix)
      .sort(comparePrefixes)
      .map(formatPrefix);
    assert.deepEqual(sorted, ['9.0.0.1', '10.0.0.0/8', '10.0.0.0/9', '10.0.0.0', '::1', '2001:db8::/32']);
    const cover = (outer: string, inner: string) => covers(readPrefix(outer) as Prefix, readPrefix(inner) as Prefix);
    assert.ok(cover('2001:db8::/33', '2001:db8:7fff::1'));
    assert.ok(!cover('2001:db8::/33', '2001:db8:8000::1'));
    assert.ok(!cover('10.0.0.0/16', '10.0.0.0/8'));
    assert.ok(!cover('0.0.0.0/8', '::/32'));
  });
});
