import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientHello } from '../framing/tls-hello.ts';
import { ja4 } from './ja4.ts';

const numbers = (list: string) => list.split(',').map((word) => Number.parseInt(word, 16));

/** The example in the published description. */
const published: ClientHello = {
  legacyVersion: 0x0303,
  supportedVersions: [0x0304, 0x0303],
  ciphers: numbers('1301,1302,1303,c02b,c02f,c02c,c030,cca9,cca8,c013,c014,009c,009d,002f,0035'),
  extensions: numbers('001b,0000,0033,0010,4469,0017,002d,000d,0005,0023,0012,002b,ff01,000b,000a,0015'),
  signatureAlgorithms: numbers('0403,0804,0401,0503,0805,0501,0806,0601'),
  protocols: ['h2', 'http/1.1'],
  serverName: 'example.org',
};

test('computes the published example', () => {
  assert.equal(ja4(published), 't13d1516h2_8daaf6152771_e5627efa2ab1');
});

test('computes the published example without signature algorithms', () => {
  assert.match(ja4({ ...published, signatureAlgorithms: [] }), /_6d807ffa2a79$/);
});

test('writes zeros as the digest of an empty list', () => {
  const bare = { ...published, ciphers: [], extensions: [], signatureAlgorithms: [], protocols: [] };
  assert.equal(ja4({ ...bare, supportedVersions: [] }), 't12i000000_000000000000_000000000000');
});

for (const [hex, word] of [
  ['ab', 'ab'],
  ['abcd', 'ad'],
  ['30ab', '3b'],
  ['3031abcd', '3d'],
  ['30abcd31', '01'],
  ['683263', 'hc'],
  ['68', 'hh'],
] as const)
  test(`writes protocol ${hex} as ${word}`, () => {
    const protocol = Buffer.from(hex, 'hex').toString('latin1');
    assert.equal(ja4({ ...published, protocols: [protocol] }).slice(8, 10), word);
  });
