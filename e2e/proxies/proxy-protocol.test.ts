/** The client address behind a balancer with the PROXY protocol. For nginx see e2e/nginx/lua. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Address, parseAddress } from '../../contract/values/address.ts';
import type { Client, Peer } from '../../daemon/address/client.ts';
import { proxyHeader } from '../../daemon/proxy-protocol/write.ts';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { startCaddy } from '../caddy/process.ts';
import { exchangeBytes } from '../nginx/lua/respond/wire.ts';
import { freePort } from '../support/guardcli.ts';
import { routeWithGuards, startTraefik } from '../traefik/process.ts';

const header = 'PROXY TCP4 203.0.113.5 198.51.100.1 4096 80\r\n';
const forged = [
  ...['GET /.env HTTP/1.1', 'Host: 127.0.0.1', 'X-Forwarded-For: 192.0.2.1', 'Connection: close'],
  ...['', ''],
].join('\r\n');
/** If the guard took the client for the balancer, the client could claim an allowed address. */
const lists = { allowedIps: ['192.0.2.1'], trustedProxies: ['127.0.0.1'] };

const clientsIn = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).client_ip);

test('Caddy with the listener wrapper proxy_protocol', async (t) => {
  const caddy = await startCaddy(t, {
    options: 'servers {\nlistener_wrappers {\nproxy_protocol {\nallow 127.0.0.0/8\n}\n}\n}',
    guard: `allowed_ips ${lists.allowedIps.join(' ')}\ntrusted_proxies ${lists.trustedProxies.join(' ')}`,
  });
  assert.match(await exchangeBytes(caddy.port, header + forged), /^HTTP\/1\.1 403 /);
  assert.deepEqual(clientsIn(caddy.events), ['203.0.113.5']);
  assert.match(await exchangeBytes(caddy.port, forged), /^HTTP\/1\.1 200 /); // without a header, the peer is the balancer
});

test('Caddy with the listener wrappers of the page, and the header that tcp-guard sends', async (t) => {
  const page = readFileSync(join(packageRoot, 'docs/caddy.md'), 'utf8');
  const wrappers = /^\t\tlistener_wrappers \{\n[\s\S]*?^\t\t\}$/m.exec(page)?.[0] ?? '';
  const caddy = await startCaddy(t, { options: `servers {\n${wrappers}\n}` });
  const client = { address: parseAddress('203.0.113.5') as Address, port: 4096 };
  const sent = proxyHeader('v2', client as Client, { local: { ip: '198.51.100.1', port: 443 } as Peer });
  assert.match(await exchangeBytes(caddy.port, sent?.toString('latin1') + forged), /^HTTP\/1\.1 403 /);
  assert.deepEqual(clientsIn(caddy.events), ['203.0.113.5']);
});

test('Traefik with proxyProtocol of the entry point', async (t) => {
  const file = join(scratchFolder('guard-events-'), 'events.log');
  const balanced = await freePort();
  const entry = {
    address: `127.0.0.1:${balanced}`,
    proxyProtocol: { trustedIPs: ['127.0.0.1'] },
    forwardedHeaders: { trustedIPs: ['127.0.0.1', '203.0.113.0/24'] },
  };
  const routes = routeWithGuards('http://127.0.0.1:1', { guard: { ...lists, securityLogFile: file } });
  const traefik = await startTraefik(t, routes, { entryPoints: { balanced: entry } });
  await until(
    async () => /^HTTP\/1\.1 502 /.test(await exchangeBytes(traefik.port, forged.replace('/.env', '/'))),
    'Traefik to serve',
  );
  assert.match(await exchangeBytes(balanced, header + forged), /^HTTP\/1\.1 403 /);
  assert.deepEqual(clientsIn(file), ['203.0.113.5']);
  // 502: the guard allowed it, because without a header the peer is the balancer.
  assert.match(await exchangeBytes(balanced, forged), /^HTTP\/1\.1 502 /);
});
