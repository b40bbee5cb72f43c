import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../../platform/free-ports.ts';
import { bytesOf, startGuarded } from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

const signature = '\r\n\r\n\0\r\nQUIT\n';
const bytes = (...values: readonly number[]): string => String.fromCharCode(...values);

/** Returns a header in Latin-1. `command`: 1 has a client, 0 is LOCAL. `family`: 1 is IPv4, 2 is IPv6. */
function version2(command: number, family: number, addresses: string): string {
  const transport = family === 0 ? 0 : 1; // a stream
  return `${signature}${bytes(0x20 | command, (family << 4) | transport, 0, addresses.length)}${addresses}`;
}

const ports = bytes(0x10, 0x00, 0x00, 0x50);
const toIpv4 = bytes(198, 51, 100, 1);
const ipv6Of = (last: number): string => bytes(0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), last);

/** Names and headers, and the client address that the guard must find. */
const headers: readonly (readonly [string, string, string])[] = [
  ['version 1', 'PROXY TCP4 203.0.113.5 198.51.100.1 4096 80\r\n', '203.0.113.5'],
  ['version 1 with IPv6', 'PROXY TCP6 2001:db8::5 2001:db8::1 4096 80\r\n', '2001:db8::5'],
  ['version 2', version2(1, 1, bytes(203, 0, 113, 6) + toIpv4 + ports), '203.0.113.6'],
  ['version 2 with IPv6', version2(1, 2, ipv6Of(6) + ipv6Of(1) + ports), '2001:db8::6'],
];

/** Headers without a client address: the guard then uses the address of the balancer. */
const local: readonly (readonly [string, string])[] = [
  ['version 1, UNKNOWN', 'PROXY UNKNOWN\r\n'],
  ['version 2, LOCAL', version2(0, 0, '')],
];

/** Settings of the realip module, which must not change the client address for the guard. */
const realIp = {
  'without the realip module': '',
  'with the realip module': 'set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol;',
};

for (const [name, directives] of Object.entries(realIp))
  test(`a listener with proxy_protocol, ${name}`, async (t) => {
    const port = await freePort();
    const nginx = await startGuarded(t, {
      policies: { default: { allowedIps: ['192.0.2.1'], trustedProxies: ['127.0.0.1'] } },
      http: directives,
      server: `listen 127.0.0.1:${port} proxy_protocol;`,
    });
    const forged = bytesOf({ target: '/.env', headers: [['X-Forwarded-For', '192.0.2.1']] });
    for (const [version, header, client] of headers)
      await t.test(`${version}: X-Forwarded-For of a client is not used`, async () => {
        assert.match(await exchangeBytes(port, header + forged), /^HTTP\/1\.1 403 /);
        assert.equal(nginx.events().at(-1)?.client_ip, client);
      });
    await t.test('the header names an allowed address', async () => {
      const header = 'PROXY TCP4 192.0.2.1 198.51.100.1 4096 80\r\n';
      assert.match(await exchangeBytes(port, header + bytesOf({ target: '/.env' })), /^HTTP\/1\.1 200 /);
    });
    for (const [version, header] of local)
      await t.test(`${version}: the peer is the balancer`, async () => {
        assert.match(await exchangeBytes(port, header + bytesOf({ target: '/.env' })), /^HTTP\/1\.1 403 /);
        assert.equal(nginx.events().at(-1)?.client_ip, '127.0.0.1');
      });
    await t.test('another listener is not affected', async () => {
      assert.match(await exchangeBytes(nginx.port, forged), /^HTTP\/1\.1 200 /);
    });
  });

test('a client in the list of trusted proxies is one on a listener with proxy_protocol', async (t) => {
  const port = await freePort();
  const nginx = await startGuarded(t, {
    policies: { default: { trustedProxies: ['203.0.113.0/24'] } },
    server: `listen 127.0.0.1:${port} proxy_protocol;`,
  });
  const request = bytesOf({ target: '/.env', headers: [['X-Forwarded-For', '198.51.100.7']] });
  await exchangeBytes(port, `PROXY TCP4 203.0.113.5 198.51.100.1 4096 80\r\n${request}`);
  assert.equal(nginx.events().at(-1)?.client_ip, '198.51.100.7');
});
