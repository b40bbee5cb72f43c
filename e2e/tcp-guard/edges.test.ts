/**
 * A host with sshd, and with Caddy in front of a container and nginx, which are reached directly and through a proxy that plays the
 * CDN. One ban closes the ports of the host to the client, both proxies refuse it behind the CDN, and the address of the CDN is
 * never banned.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openssh } from '../../conformance/servers/openssh.ts';
import { reasonToSkip, startServer } from '../../conformance/servers/running.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { startCaddy } from '../caddy/process.ts';
import { startGuarded } from '../nginx/lua/guarded.ts';
import { withoutNginx } from '../nginx/process.ts';
import { guesser, host, type Namespace, openNamespace, other, run, skipNamespaces } from './namespaces.ts';
import { startGuard } from './process.ts';

/** Both are within a network of Cloudflare. */
const [edge, edgeGateway] = ['173.245.48.5', '173.245.48.1'];
/** Where visitors reach the CDN, not over the host. */
const publicEdge = '203.0.113.1';
const [containerGateway, container] = ['172.31.0.1', '172.31.0.2'];

const skip =
  skipNamespaces || withoutNginx || reasonToSkip(openssh) || (!existsSync('/usr/bin/curl') && 'curl is not installed');

/** A site that trusts the CDN, and one whose owner has forgotten it. */
async function startSites(t: TestContext, bans: string) {
  const forgetful = await freePort();
  const events = join(scratchFolder('guard-edges-'), 'events.jsonl');
  const block = (port: number, options: string): string =>
    `http://:${port} {\n\tguard {\n\t\tsecurity_log_file ${events}\n\t\t${options}\n\t}\n\treverse_proxy ${container}:80\n}\n`;
  const trusting = `trusted_proxies cloudflare\n\t\tban_list {\n\t\t\tfile ${bans}\n\t\t}`;
  const caddy = await startCaddy(t, { site: (port) => block(port, trusting) + block(forgetful, 'mode enforce') });
  const nginx = await freePort();
  const policy = { trustedProxies: ['cloudflare'], banList: { file: bans } };
  await startGuarded(t, { policies: { default: policy }, server: `listen 0.0.0.0:${nginx};` });
  return { events, forgetful, proxies: [caddy.port, nginx] as const };
}

const quiet = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--max-time', '5'];

/** A web server in the namespace of a container. */
async function startContainer(t: TestContext): Promise<void> {
  const { enter } = await openNamespace(t, 'container', containerGateway, [container]);
  const code = "require('node:http').createServer((_, r) => void r.end('fine')).listen(80)";
  startIn(t, [...enter, process.execPath, '-e', code]);
}

/** The CDN: nginx in its namespace, with a direct way from visitors. Each of its ports leads to that of the host. */
async function startCdn(t: TestContext, visitors: Namespace, ports: readonly number[]): Promise<void> {
  const cdn = await openNamespace(t, 'cdn', edgeGateway, [edge]);
  const inside = (one: Namespace, line: string) => run(`${one.enter.join(' ')} ${line}`);
  const [visitorsPid, cdnPid] = [visitors, cdn].map(({ enter }) => enter[2]);
  run(`ip link add direct netns ${visitorsPid} type veth peer name direct netns ${cdnPid}`);
  for (const one of [visitors, cdn]) inside(one, 'ip link set direct up');
  inside(cdn, `ip addr add ${publicEdge}/32 dev direct`);
  for (const address of [guesser, other]) inside(cdn, `ip route add ${address}/32 dev direct`);
  inside(visitors, `ip route add ${publicEdge}/32 dev direct`);
  const forward = 'proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Host $http_host;';
  const servers = ports.map(
    (port) =>
      `server { listen ${publicEdge}:${port}; location / { ${forward} proxy_pass http://${edgeGateway}:${port}; } }`,
  );
  const folder = scratchFolder('guard-cdn-');
  const file = join(folder, 'nginx.conf');
  const main = `daemon off; master_process off; pid ${folder}/nginx.pid; events {}`;
  writeFileSync(file, `${main} http { access_log off; ${servers.join(' ')} }\n`);
  startIn(t, [...cdn.enter, '/usr/sbin/nginx', '-e', 'stderr', '-p', folder, '-c', file]);
}

function startIn(t: TestContext, [program = '', ...args]: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'ignore' });
  t.after(() => void child.kill('SIGKILL'));
}

test('a ban holds on every port and behind a CDN, and never for the CDN', { skip }, async (t) => {
  const visitors = await openNamespace(t, 'visitors', host, [guesser, other]);
  await startContainer(t);
  const folder = join(scratchFolder('guard-published-'), 'bans');
  mkdirSync(folder);
  const publish = join(folder, 'bans');
  const { events, forgetful, proxies } = await startSites(t, publish);
  await startCdn(t, visitors, [forgetful, ...proxies]);
  const { ssh } = (await startServer(t, openssh, { address: '0.0.0.0', failureDelay: 0 })).ports;
  const guard = await startGuard(t, { bans: { scope: 'host', publish }, intake: [{ file: events }] });
  t.after(() => void run('nft flush ruleset'));

  /** Returns the status of a request that a client sends through the CDN. 0: there is no answer. */
  const throughEdge = (client: string, port: number, path = '/'): number => {
    const args = [...quiet, '--interface', client, `http://${publicEdge}:${port}${path}`];
    return Number(spawnSync('nsenter', [...visitors.enter.slice(1), 'curl', ...args], { encoding: 'utf8' }).stdout);
  };
  const ports = [ssh, forgetful, ...proxies];
  const reached = (client: string): number => ports.filter((port) => visitors.reaches(client, host, port)).length;
  const banned = async (): Promise<string[]> =>
    JSON.parse((await guard.ask('GET', '/banlist')).body).bans.map(({ ip }: { ip: string }) => ip);
  await until(() => reached(guesser) === ports.length);
  for (const port of [forgetful, ...proxies])
    await until(() => throughEdge(guesser, port) === 200, `the CDN at ${port}`);

  for (let index = 0; index < 6; index += 1) {
    assert.equal(throughEdge(guesser, proxies[0], `/.env`), 403);
    assert.equal(throughEdge(other, forgetful, '/.git/config'), 403); // whose event names the CDN
  }
  await until(async () => (await banned()).includes(guesser), `a ban; ${guard.stderr()}`);
  await until(() => reached(guesser) === 0, 'the firewall');
  for (const port of proxies) {
    await until(() => throughEdge(guesser, port) === 403, `the list in the proxy of port ${port}`);
    assert.equal(throughEdge(other, port), 200);
  }
  assert.equal(reached(other), ports.length);
  await until(() => /173\.245\.48\.5.*cloudflare/.test(guard.stderr()), 'a word about the CDN');
  assert.deepEqual(await banned(), [guesser]);

  await guard.ask('POST', '/unban', { ip: guesser });
  await until(() => reached(guesser) === ports.length, 'the end of the ban');
  for (const port of proxies) await until(() => throughEdge(guesser, port) === 200);
});
