/**
 * The ban list from tcp-guard to the real proxies: random clients get the verdict of the reference engine, and a new ban
 * is in force everywhere.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { limits } from '../../contract/policy/limits.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { start, temporaryFolder } from '../../daemon/testing/daemon.ts';
import { openBanTable } from '../../engine/ban-list.ts';
import { compile } from '../../engine/index.ts';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { startCaddy } from '../caddy/process.ts';
import { startGuarded } from '../nginx/lua/guarded.ts';
import { withoutNginx } from '../nginx/process.ts';
import { routeWithGuards, startTraefik } from '../traefik/process.ts';

const trustedProxies = ['127.0.0.1', '10.0.0.0/30', '2001:db8:1::/120'];
const policyOf = (file: string) => ({ securityLog: false, trustedProxies, banList: { file } });

async function startBackend(t: TestContext): Promise<number> {
  const server = createServer((_, response) => void response.end('fine')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

type Status = (forwarded: string | undefined, method?: string) => Promise<number>;

function client(t: TestContext, port: number): Status {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  t.after(() => agent.destroy());
  return async (forwarded, method = 'GET') => {
    const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
    const sent = request({ host: '127.0.0.1', port, path: '/', agent, method, headers }).end();
    const [response] = await once(sent, 'response');
    response.resume();
    return response.statusCode;
  };
}

async function startProxies(t: TestContext, file: string): Promise<Readonly<Record<string, Status>>> {
  const backend = await startBackend(t);
  const site = (port: number) => `http://:${port} {
	guard {
		security_log false
		trusted_proxies ${trustedProxies.join(' ')}
		ban_list {
			file ${file}
		}
	}
	respond "fine"
}
`;
  const caddy = await startCaddy(t, { site });
  const port = await freePort();
  // Without insecure, Traefik removes X-Forwarded-For.
  const entryPoints = { site: { address: `127.0.0.1:${port}`, forwardedHeaders: { insecure: true } } };
  const route = routeWithGuards(`http://127.0.0.1:${backend}`, { guard: policyOf(file) });
  await startTraefik(t, route, { entryPoints });
  const nginx = withoutNginx ? undefined : await startGuarded(t, { policies: { default: policyOf(file) } });
  const proxies = {
    caddy: client(t, caddy.port),
    traefik: client(t, port),
    ...(nginx && { nginx: client(t, nginx.port) }),
  };
  for (const status of Object.values(proxies))
    await until(
      () =>
        status(undefined).then(
          (code) => code === 200,
          () => false,
        ),
      'the proxy to serve',
    );
  return proxies;
}

/** Numbers from 0 to `most` - 1, the same in each run. */
function createPick(): (most: number) => number {
  let state = 20_261_129;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
}

const pick = createPick();
const oneOf = <T>(list: readonly T[]): T => list[pick(list.length)] as T;

const address = (): string =>
  pick(3) > 0
    ? `10.0.0.${pick(64)}`
    : oneOf([`2001:db8::${pick(64).toString(16)}`, `2001:db8:1::${pick(400).toString(16)}`]);
const network = (): string => (pick(2) ? address() : `${address()}/${oneOf([26, 28, 29, 30, 31, 32, 120, 124, 127])}`);
const entry = (): string =>
  oneOf([
    address,
    address,
    address,
    () => `[${address()}]:80`,
    () => `::ffff:10.0.0.${pick(64)}`,
    () => 'unknown',
    () => '',
    () => '10.0.0.01',
  ])();
const forwarded = (): string | undefined =>
  pick(20) === 0 ? undefined : Array.from({ length: 1 + pick(4) }, entry).join(oneOf([',', ', ', ' ,\t']));

const count = Number(process.env.BAN_REQUESTS ?? 3000);

test('bans of tcp-guard in the proxies', async (t) => {
  const folder = join(temporaryFolder(), 'published');
  mkdirSync(folder);
  const file = join(folder, 'bans');
  const { daemon } = await start(t, { services: {}, bans: { publish: file } });
  const ban = (ip: string, durationMs: number | null = null) =>
    daemon.bans.add({ ip, reason: '', origin: 'api', durationMs });
  const published = () => daemon.tables().published?.entries ?? 0;
  for (let index = 0; index < 40; index++) await ban(network());
  // More than one block of the checksum, and none of the addresses that clients have.
  const blocks = Array.from({ length: limits.banListBlock }, (_, index) => `172.16.${index >> 7}.${(index & 127) * 2}`);
  await Promise.all(blocks.map((ip) => ban(ip)));
  await until(() => published() > limits.banListBlock);
  const proxies = await startProxies(t, file);
  await ban('192.0.2.1');
  const began = performance.now();
  for (const [name, status] of Object.entries(proxies)) {
    await until(async () => (await status('192.0.2.1', 'DELETE')) === 403, `${name} to refuse the client`);
    t.diagnostic(`${name} refuses the client ${Math.round(performance.now() - began)} ms after the ban`);
  }
  const table = openBanTable(readFileSync(file));
  assert('has' in table, JSON.stringify(table));
  const guard = compile(Policy.parse(policyOf(file)));
  const expected = (text: string | undefined) => {
    const headers = text === undefined ? [] : ([['X-Forwarded-For', text]] as const);
    const { verdict } = guard.evaluate({ method: 'GET', target: '/', ip: '127.0.0.1', headers, bans: table });
    return verdict === 'blocked' ? 403 : 200;
  };
  const seen = { 200: 0, 403: 0 };
  for (let done = 0; done < count; done++) {
    const text = forwarded();
    const wanted = expected(text);
    seen[wanted]++;
    const codes = await Promise.all(Object.values(proxies).map((status) => status(text)));
    assert.deepEqual(
      codes,
      codes.map(() => wanted),
      `X-Forwarded-For: ${text}`,
    );
  }
  t.diagnostic(`${seen[200]} passed, ${seen[403]} were refused`);
  assert(Math.min(seen[200], seen[403]) > count / 20, 'clients of both kinds');
  await daemon.bans.remove('192.0.2.1');
  for (const [name, status] of Object.entries(proxies))
    await until(async () => (await status('192.0.2.1')) === 200, `${name} to serve the client`);
});
