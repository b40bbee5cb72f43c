import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../contract/values/address.ts';
import { clientOf } from '../address/client.ts';
import { longestHeader, parseHeader } from './header.ts';
import { proxyHeader } from './write.ts';

const signature = '0d0a0d0a000d0a515549540a';
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const address = (text: string) => parseAddress(text);

const headers = [
  {
    name: 'version 1 over IPv4',
    bytes: Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 4000 22\r\n'),
    ip: '192.0.2.1',
    port: 4000,
  },
  {
    name: 'version 1 over IPv6',
    bytes: Buffer.from('PROXY TCP6 2001:db8::1 2001:db8::2 1 65535\r\n'),
    ip: '2001:db8::1',
    port: 1,
  },
  { name: 'version 1, unknown', bytes: Buffer.from('PROXY UNKNOWN ffff:f ffff:f 1 2\r\n'), ip: undefined, port: 0 },
  { name: 'version 1, unknown and short', bytes: Buffer.from('PROXY UNKNOWN\r\n'), ip: undefined, port: 0 },
  {
    name: 'version 2 over IPv4',
    bytes: hex(`${signature} 21 11 000c c0000201 c0000202 0fa0 0016`),
    ip: '192.0.2.1',
    port: 4000,
  },
  {
    name: 'version 2 over IPv6 with an extension',
    bytes: hex(
      `${signature} 21 21 0028 20010db8${'00'.repeat(11)}01 20010db8${'00'.repeat(11)}02 0001 ffff 04 0001 00`,
    ),
    ip: '2001:db8::1',
    port: 1,
  },
  {
    name: 'version 2, an IPv4 address mapped into IPv6',
    bytes: hex(`${signature} 21 21 0024 ${'00'.repeat(10)}ffffc0000201 ${'00'.repeat(16)} 0fa0 0016`),
    ip: '192.0.2.1',
    port: 4000,
  },
  { name: 'version 2, local', bytes: hex(`${signature} 20 00 0000`), ip: undefined, port: 0 },
  { name: 'version 2, a Unix socket', bytes: hex(`${signature} 21 31 0002 4141`), ip: undefined, port: 0 },
];

for (const { name, bytes, ip, port } of headers)
  test(`${name} is read in any split, and the following bytes stay`, () => {
    const all = Buffer.concat([bytes, Buffer.from('SSH-2.0-x\r\n')]);
    for (let length = 0; length < bytes.length; length++)
      assert.deepEqual(parseHeader(all.subarray(0, length)), { kind: 'more' }, `after ${length} bytes`);
    const source = ip === undefined ? undefined : { address: address(ip), port };
    for (const part of [bytes, all])
      assert.deepEqual(parseHeader(part), { kind: 'header', length: bytes.length, source });
  });

const bad = {
  'not a header': Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'),
  'another protocol': Buffer.from('GET / HTTP/1.1\r\n'),
  'lower case': Buffer.from('proxy TCP4 192.0.2.1 192.0.2.2 1 2\r\n'),
  'IPv6 in a TCP4 header': Buffer.from('PROXY TCP4 ::1 ::1 1 2\r\n'),
  'a port above 65535': Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n'),
  'a port with a leading zero': Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n'),
  'an address without an octet': Buffer.from('PROXY TCP4 192.0.2 192.0.2.2 1 2\r\n'),
  'one field too many': Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n'),
  'two spaces': Buffer.from('PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n'),
  'no line end in 107 bytes': Buffer.from(`PROXY TCP4 ${'1'.repeat(100)}`),
  'version 3': hex(`${signature} 31 11 000c c0000201 c0000202 0fa0 0016`),
  'an unknown command': hex(`${signature} 22 11 000c c0000201 c0000202 0fa0 0016`),
  'a length below that of its addresses': hex(`${signature} 21 11 0008 c0000201 c0000202`),
  'an excessive length': hex(`${signature} 21 11 ffff`),
};

for (const [name, bytes] of Object.entries(bad))
  test(`refuses ${name}`, () => assert.deepEqual(parseHeader(bytes), { kind: 'bad' }));

test('the read limit suffices for the longest header', () => {
  const extension = Buffer.alloc(4096 - 12);
  const bytes = Buffer.concat([hex(`${signature} 21 11 1000 c0000201 c0000202 0fa0 0016`), extension]);
  assert.equal(bytes.length, longestHeader);
  assert.equal(parseHeader(bytes).kind, 'header');
});

const ends = [
  { client: '192.0.2.1', local: '192.0.2.2', v1: 'PROXY TCP4 192.0.2.1 192.0.2.2 4000 22\r\n' },
  { client: '2001:db8::1', local: '2001:db8::2', v1: 'PROXY TCP6 2001:db8::1 2001:db8::2 4000 22\r\n' },
  { client: '2001:db8::1', local: '192.0.2.2', v1: 'PROXY TCP6 2001:db8::1 ::ffff:192.0.2.2 4000 22\r\n' },
  { client: '192.0.2.1', local: '::1', v1: 'PROXY TCP6 ::ffff:192.0.2.1 ::1 4000 22\r\n' },
  { client: '192.0.2.1', local: '::ffff:192.0.2.2', v1: 'PROXY TCP4 192.0.2.1 192.0.2.2 4000 22\r\n' },
];

for (const { client: ip, local, v1 } of ends)
  test(`the header for ${ip} at ${local} has both addresses in both versions`, () => {
    const client = clientOf(address(ip) as never, 4000);
    const at = { local: { ip: local, port: 22 } };
    assert.equal(proxyHeader('v1', client, at)?.toString(), v1);
    for (const version of ['v1', 'v2'] as const) {
      const header = proxyHeader(version, client, at) as Buffer;
      const source = { address: client.address, port: 4000 };
      assert.deepEqual(parseHeader(header), { kind: 'header', length: header.length, source });
    }
    assert.equal(proxyHeader('off', client, at), undefined);
  });
