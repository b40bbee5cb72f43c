/**
 * Guards a Debian host in three steps, in a container whose first process is systemd: sshd runs as its unit, Caddy is that
 * of Debian without the guard, a port leads to a container, and nothing is moved. Clients that guess passwords and scan live
 * in another network namespace.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { BanRecord } from '../../contract/api/records.ts';
import { packageRoot, packageVersion } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { guesser, host, openNamespace, other as owner, serveIn } from '../tcp-guard/namespaces.ts';

/** Runs only in the test image with systemd, because the package changes the machine. */
const skip = process.getuid?.() === 0 && existsSync('/run/test-command') ? false : 'not in the test image';

const scanner = '198.51.100.9';
const [gateway, container] = ['10.88.0.1', '10.88.0.2'];
const [sshPort, webPort, otherPort, publishedPort] = [22, 80, 8081, 8090];
const everyPort = [sshPort, webPort, otherPort, publishedPort];
const caddyLog = '/var/log/caddy/access.log';
const configuration = '/etc/guard/tcp-guard.yaml';
const dropIn = '/etc/systemd/system/tcp-guard.service.d/host.conf';
const folder = scratchFolder('guard-debian-host-');

const run = async (line: string | readonly string[]): Promise<string> => {
  const [program = '', ...args] = typeof line === 'string' ? line.split(' ') : line;
  return (await promisify(execFile)(program, args)).stdout;
};

/** Runs a command that may fail. */
function outcomeOf(line: string): { status: number | null; stdout: string; stderr: string } {
  const [program = '', ...args] = line.split(' ');
  return spawnSync(program, args, { encoding: 'utf8' });
}

/** Leads a port of the host to a server in another namespace, as container runtimes do. */
async function publishContainer(t: TestContext): Promise<void> {
  const { enter } = await openNamespace(t, 'container', gateway, [container]);
  await run([...enter, `ip route add default via ${gateway}`].join(' '));
  // A container has its /proc/sys read-only, so the shell mounts another one for itself.
  await run(['unshare', '-m', 'sh', '-c', 'mount -t proc proc /proc && echo 1 > /proc/sys/net/ipv4/ip_forward']);
  await run('nft add table ip published');
  await run('nft add chain ip published in { type nat hook prerouting priority -100 ; }');
  await run(`nft add rule ip published in iifname to_client tcp dport ${publishedPort} dnat to ${container}`);
  serveIn(t, enter, publishedPort);
}

/** Starts Debian's Caddy, without the guard. Its log is readable, because Caddy keeps the mode of an existing file. */
function startCaddy(t: TestContext): void {
  mkdirSync('/var/log/caddy', { recursive: true });
  writeFileSync(caddyLog, '', { mode: 0o644 });
  const caddyfile = join(folder, 'Caddyfile');
  writeFileSync(
    caddyfile,
    `{\n\tadmin off\n}\n:${webPort} {\n\tlog {\n\t\toutput file ${caddyLog}\n\t}\n\trespond ok\n}\n`,
  );
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn('caddy', ['run', '--config', caddyfile, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
}

/** Connects to the SSH server as its owner, and stays. */
const staying = `
const s = require('node:net').connect({ host: '${host}', port: ${sshPort}, localAddress: '${owner}' });
s.on('connect', () => console.log('open')).on('error', () => process.exit(8));`;

/** Tries a wrong password for six users at once. */
async function guess(inside: readonly string[]): Promise<void> {
  const askpass = join(folder, 'askpass');
  writeFileSync(askpass, '#!/bin/sh\necho wrong\n', { mode: 0o755 });
  const settings = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'NumberOfPasswordPrompts=1'];
  const options = [...settings, 'PreferredAuthentications=password', 'ConnectTimeout=5'].flatMap((one) => ['-o', one]);
  const env = { ...process.env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' };
  const attempts = ['a', 'b', 'c', 'd', 'e', 'f'].map((user) => {
    const args = ['-F', 'none', '-b', guesser, ...options, '-l', user, host, 'true'];
    // The ban may drop the packets of the connections that earned it, for which TCP waits a quarter of an hour.
    const limits = { timeout: 30_000, killSignal: 'SIGKILL' } as const;
    return once(spawn('nsenter', [...inside.slice(1), 'ssh', ...args], { env, stdio: 'ignore', ...limits }), 'exit');
  });
  await Promise.all(attempts);
}

const scanning = `
const [host, from, ...paths] = process.argv.slice(1);
for (const path of paths)
  require('node:http').request({ host, localAddress: from, path, method: path.endsWith('z') ? 'HEAD' : 'GET', timeout: 5000 })
    .on('timeout', () => process.exit(0)).on('error', () => {}).on('response', (r) => r.resume()).end();`;

/** Asks for six files that the policy blocks, one of them with HEAD. */
async function scan(inside: readonly string[]): Promise<void> {
  const paths = ['/.env', '/.git/config', '/backup.sql', '/.aws/credentials', '/.ssh/id_rsa', '/backup.tar.gz'];
  const args = [...inside.slice(1), process.execPath, '-e', scanning, host, scanner, ...paths];
  await once(spawn('nsenter', args, { stdio: 'ignore' }), 'exit');
}

/** Without keep-alive: the API closes an idle connection while a client is about to use it. */
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:9091${path}`, { ...init, headers: { ...init.headers, connection: 'close' } });

async function listed(): Promise<readonly BanRecord[]> {
  const answer = (await (await ask('/banlist')).json()) as { bans: BanRecord[] };
  return answer.bans;
}

async function statusOfBan(body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await ask('/ban', { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

/** Attacks until the list has the ban. The daemon may not follow the logs yet at the first round. */
async function banAfter(attack: () => Promise<void>, address: string): Promise<BanRecord> {
  for (let round = 0; round < 5; round += 1) {
    await attack();
    const found = (await listed()).find(({ ip }) => ip === address);
    if (found) return found;
  }
  const health = await (await ask('/health')).text();
  const journal = await run('journalctl --no-pager --lines=50 --unit=ssh.service --unit=tcp-guard.service');
  throw new assert.AssertionError({ message: `no ban: ${health}\n${journal}` });
}

/** Starts the servers of the host: sshd as its unit, Caddy, a container, and one of which no log is read. */
async function startServers(t: TestContext): Promise<void> {
  await run('systemctl start ssh.service');
  startCaddy(t);
  await publishContainer(t);
  serveIn(t, [], otherPort);
}

/** The steps of the page. */
const [installStep = '', initStep = '', enforceStep = ''] = blockWith('docs/host.md', 'sh', 'init host').split('\n');

test('a host in three steps: install, look at what would be banned, enforce', { skip }, async (t) => {
  rmSync('/usr/sbin/policy-rc.d', { force: true });
  const { enter: inside, reaches } = await openNamespace(t, 'client', host, [guesser, owner, scanner]);
  await startServers(t);
  await run(`${process.execPath} ${join(packageRoot, 'packaging/debian/build.ts')} ${folder} ${packageVersion()} none`);

  assert.match(installStep, /^apt install /);
  await run(['sh', '-c', `cd ${folder} && ${installStep} --yes`]);
  assert.match(readFileSync(configuration, 'utf8'), /^services: \{\}$/m);

  const written = outcomeOf(initStep);
  assert.equal(written.status, 0, written.stdout + written.stderr);
  assert.match(written.stdout, /^ {2}sshd: ssh\.service \(OpenSSH\)$/m);
  assert.match(
    written.stdout,
    /^ {2}access: \/var\/log\/caddy\/access\.log \(requests to Caddy that the policy blocks\)$/m,
  );
  assert.match(written.stdout, /^no source reads a log of these reachable ports: 8081$/m);
  assert.match(written.stdout, /^\S.* clients? would have been banned; 0 had logged in/m);
  const health = (await (await ask('/health')).json()) as { reasons?: string[] };
  assert.equal(health.reasons, undefined, `${health.reasons}`);
  const again = outcomeOf(initStep);
  assert.deepEqual([again.status, /was changed\. --force replaces it/.test(again.stderr)], [1, true], again.stderr);

  const detected = await banAfter(() => guess(inside), guesser);
  assert.equal(detected.detected, true);
  assert.match(detected.evidence?.join('\n') ?? '', /nvalid user [a-f] from 198\.51\.100\.7 port/);
  for (const port of everyPort) assert.ok(reaches(guesser, host, port), 'detected, not banned');

  const session = spawn('nsenter', [...inside.slice(1), process.execPath, '-e', staying], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => session.kill('SIGKILL'));
  await once(session.stdout, 'data');
  appendFileSync(configuration, '# A comment of the owner.\n');
  const enforced = outcomeOf(enforceStep);
  assert.equal(enforced.status, 0, enforced.stdout + enforced.stderr);
  assert.match(enforced.stderr, /^warning: connected to the SSH server .*198\.51\.100\.8/m);
  assert.match(readFileSync(configuration, 'utf8'), /^ {2}mode: enforce$[\s\S]*^# A comment of the owner\.$/m);
  assert.deepEqual(await listed(), []);
  assert.equal(await statusOfBan({ ip: owner }), 409);
  assert.match(outcomeOf(`tcp-guard --check -c ${configuration}`).stderr, /198\.51\.100\.8/);

  const banned = await banAfter(() => guess(inside), guesser);
  assert.equal(banned.detected, undefined);
  await until(() => !everyPort.some((port) => reaches(guesser, host, port)), 'the end of every port');
  const scans = await banAfter(() => scan(inside), scanner);
  assert.match(scans.evidence?.join('\n') ?? '', /"remote_ip":"198\.51\.100\.9"/);
  await until(() => !everyPort.some((port) => reaches(scanner, host, port)), 'the end of every port for the scanner');
  assert.ok(everyPort.every((port) => reaches(owner, host, port)));
  assert.equal(await statusOfBan({ ip: owner, force: true }), 201);

  await run('dpkg --purge request-guard');
  for (const path of [configuration, dropIn]) assert.ok(!existsSync(path), path);
});
