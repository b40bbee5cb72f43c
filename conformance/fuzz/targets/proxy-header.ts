/** Fuzzes PROXY headers. A result of the parser must not change when more bytes arrive. */
import assert from 'node:assert/strict';
import { formatAddress } from '../../../contract/values/address.ts';
import { clientOf } from '../../../daemon/address/client.ts';
import { longestHeader, parseHeader, signature } from '../../../daemon/proxy-protocol/header.ts';
import { mutateBytes } from '../documents.ts';
import { createTarget } from '../target.ts';

const v2 = (hex: string): Buffer => Buffer.concat([signature, Buffer.from(hex, 'hex'), Buffer.from('SSH-2.0-x\r\n')]);
const seeds = [
  Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 4000 22\r\nSSH-2.0-x\r\n'),
  Buffer.from('PROXY TCP6 2001:db8::1 ::ffff:192.0.2.2 1 65535\r\n'),
  Buffer.from('PROXY UNKNOWN ffff:f ffff:f 1 2\r\n'),
  v2('2111000cc0000201c00002020fa00016'),
  v2(`212100282001${'00'.repeat(13)}01${'00'.repeat(10)}ffffc00002020001ffff04000100`),
  v2('20000000'),
];
const pieces = [
  'PROXY ',
  'TCP4',
  'TCP6',
  'UNKNOWN',
  ' ',
  '\r',
  '\n',
  '\r\n',
  '::',
  '.',
  '0',
  '255',
  '65536',
  '\xff',
  '\0',
  '\x21',
]
  .map((text) => Buffer.from(text, 'latin1'))
  .concat(signature, Buffer.alloc(longestHeader, 'x'));

function check(bytes: Buffer): void {
  const whole = parseHeader(bytes);
  if (whole.kind === 'header') {
    assert.ok(whole.length <= bytes.length && whole.length <= longestHeader);
    const { source } = whole;
    if (source) assert.equal(clientOf(source.address, source.port).ip, formatAddress(source.address));
  }
  for (let length = Math.min(bytes.length, 128); length >= 0; length -= 1) {
    const part = parseHeader(bytes.subarray(0, length));
    if (part.kind !== 'more') assert.deepEqual(whole, part);
  }
  if (bytes.length >= longestHeader) assert.notEqual(whole.kind, 'more');
}

export const proxyHeader = createTarget({
  name: 'PROXY header',
  make: (random) => mutateBytes(random.pick(seeds), random, pieces, 3),
  check,
});
