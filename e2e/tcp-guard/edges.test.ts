/**
 * A host whose sites are reached directly and through a CDN. A ban closes the ports of the host to the client, both
 * proxies refuse it behind the CDN, and the address of the CDN is never banned.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { startCaddy } from '../caddy/process.ts';
import { startGuarded } from '../nginx/lua/guarded.ts';
import { withoutNginx } from '../nginx/process.ts';
import { guesser, host, openNamespace, other, run, serveIn, skipNamespaces } from './namespaces.ts';
import { startGuard } from './process.ts';

/** Both are within a network of Cloudflare. */
const [edge, edgeGateway] = ['173.245.48.5', '173.245.48.1'];

const skip = skipNamespaces || withoutNginx || (!existsSync('/usr/bin/curl') && 'curl is not installed');

/** A site that trusts the CDN, and one whose owner has forgotten it. */
async function startSites(t: TestContext, bans: string) {
  const forgetful = await freePort();
  const events = join(scratchFolder('guard-edges-'), 'events.jsonl');
  const block = (port: number, options: string): string =>
    `http://:${port} {\n\tguard {\n\t\tsecurity_log_file ${events}\n\t\t${options}\n\t}\n\trespond "fine"\n}\n`;
  const trusting = `trusted_proxies cloudflare\n\t\tban_list {\n\t\t\tfile ${bans}\n\t\t}`;
  const caddy = await startCaddy(t, { site: (port) => block(port, trusting) + block(forgetful, 'mode enforce') });
  const nginx = await freePort();
  const policy = { trustedProxies: ['cloudflare'], banList: { file: bans } };
  await startGuarded(t, { policies: { default: policy }, server: `listen 0.0.0.0:${nginx};` });
  return { events, forgetful, proxies: [caddy.port, nginx] as const };
}

const quiet = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--max-time', '5'];

test('a ban holds on every port and behind a CDN, and never for the CDN', { skip }, async (t) => {
  const visitors = await openNamespace(t, 'visitors', host, [guesser, other]);
  const network = await openNamespace(t, 'cdn', edgeGateway, [edge]);
  const folder = join(scratchFolder('guard-published-'), 'bans');
  mkdirSync(folder);
  const publish = join(folder, 'bans');
  const { events, forgetful, proxies } = await startSites(t, publish);
  const ssh = await freePort();
  serveIn(t, [], ssh);
  const guard = await startGuard(t, { bans: { scope: 'host', publish }, intake: [{ file: events }] });
  t.after(() => void run('nft flush ruleset'));

  /** Returns the status of a request that a client sends through the CDN. */
  const throughEdge = (client: string, port: number, path = '/'): number => {
    const [program = '', ...enter] = network.enter;
    const args = ['curl', ...quiet, '--header', `X-Forwarded-For: ${client}`, `http://${edgeGateway}:${port}${path}`];
    return Number(execFileSync(program, [...enter, ...args], { encoding: 'utf8' }));
  };
  const ports = [ssh, forgetful, ...proxies];
  const reached = (client: string): number => ports.filter((port) => visitors.reaches(client, host, port)).length;
  const banned = async (): Promise<string[]> =>
    JSON.parse((await guard.ask('GET', '/banlist')).body).bans.map(({ ip }: { ip: string }) => ip);
  await until(() => reached(guesser) === ports.length);

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
