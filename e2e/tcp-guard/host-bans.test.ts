/**
 * A host on which nothing was moved: sshd writes its log, tcp-guard reads it, and nftables drops every packet of a
 * client that guesses passwords. The client lives in a separate network namespace.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { startGuard } from './process.ts';

const [host, guesser, other] = ['198.51.100.1', '198.51.100.7', '198.51.100.8'];
const [sshPort, otherPort] = [2022, 8081];

const run = (line: string): string => {
  const [program = '', ...args] = line.split(' ');
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
};

const programs = ['/usr/sbin/nft', '/usr/sbin/sshd', '/usr/bin/ssh', '/usr/bin/nsenter'];
const missing = programs.find((path) => !existsSync(path));
const isAlone = Object.keys(networkInterfaces()).join() === 'lo';
const canUnshare = spawnSync('unshare', ['-n', 'true']).status === 0;
const skip =
  (missing !== undefined && `${missing} is not installed`) ||
  (!isAlone && 'it needs a network namespace with nothing but a loopback: run it in the test image') ||
  (!canUnshare && 'it needs CAP_SYS_ADMIN for a second network namespace');

/** Connects a second namespace by a link. Returns the command that runs a program in it. */
async function clientNamespace(t: TestContext): Promise<readonly string[]> {
  const child = spawn('unshare', ['-n', 'sh', '-c', 'echo ready; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  t.after(() => child.kill('SIGKILL'));
  const inside = ['nsenter', '-t', `${child.pid}`, '-n'];
  run('ip link add to_client type veth peer name to_host');
  run(`ip link set to_host netns ${child.pid}`);
  run(`ip addr add ${host}/24 dev to_client`);
  run('ip link set to_client up');
  for (const line of [
    `ip addr add ${guesser}/24 dev to_host`,
    `ip addr add ${other}/24 dev to_host`,
    'ip link set to_host up',
  ])
    run([...inside, line].join(' '));
  return inside;
}

/** Starts an sshd that asks for passwords. Returns its log. */
async function startSshd(t: TestContext, folder: string): Promise<string> {
  mkdirSync('/run/sshd', { recursive: true });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'host')]);
  const log = join(folder, 'sshd.log');
  writeFileSync(log, '');
  const options = [`Port=${sshPort}`, `HostKey=${join(folder, 'host')}`, 'PidFile=none', 'UsePAM=no'];
  const args = ['-D', '-f', '/dev/null', '-E', log, ...options.flatMap((one) => ['-o', one])];
  const child = spawn('/usr/sbin/sshd', args, { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  return log;
}

/** Returns a function that tries a wrong password for a user. */
function guesserIn([nsenter = '', ...inside]: readonly string[], folder: string): (user: string) => void {
  const askpass = join(folder, 'askpass');
  writeFileSync(askpass, '#!/bin/sh\necho wrong\n', { mode: 0o755 });
  const settings = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'NumberOfPasswordPrompts=1'];
  const options = [...settings, 'ConnectTimeout=5'].flatMap((one) => ['-o', one]);
  const env = { ...process.env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' };
  return (user) => {
    const args = ['-F', 'none', '-b', guesser, ...options, '-p', `${sshPort}`, '-l', user, host, 'true'];
    spawnSync(nsenter, [...inside, 'ssh', ...args], { env });
  };
}

const reach = `
const s = require('node:net').connect({ host: process.argv[2], port: Number(process.argv[3]), localAddress: process.argv[1] });
s.setTimeout(1500).on('connect', () => process.exit(0)).on('timeout', () => process.exit(7)).on('error', () => process.exit(8));`;

test('wrong passwords in the log of sshd close every port of the host, until the ban is lifted', {
  skip,
}, async (t) => {
  const inside = await clientNamespace(t);
  const folder = scratchFolder('guard-host-');
  const log = await startSshd(t, folder);
  const service = spawn(process.execPath, [
    '-e',
    `require('node:net').createServer((s) => s.end()).listen(${otherPort})`,
  ]);
  t.after(() => service.kill('SIGKILL'));
  const guard = await startGuard(t, {
    bans: { scope: 'host' },
    intake: [{ file: log, format: 'sshd', window: '10m' }],
  });
  const reaches = (from: string, port: number): boolean =>
    spawnSync(inside[0] as string, [...inside.slice(1), process.execPath, '-e', reach, from, host, `${port}`])
      .status === 0;
  await until(() => [sshPort, otherPort].every((port) => reaches(guesser, port)));

  const guess = guesserIn(inside, folder);
  // A name that a client chose to ban another one.
  for (const user of ['a', 'b', `x from ${other} port 1 ssh2`, 'd', 'e']) guess(user);
  const banned = async (): Promise<string[]> =>
    JSON.parse((await guard.ask('GET', '/banlist')).body).bans.map(({ ip }: { ip: string }) => ip);
  await until(async () => (await banned()).length > 0, `a ban; ${guard.stderr()}`);
  assert.deepEqual(await banned(), [guesser]);
  await until(() => ![sshPort, otherPort].some((port) => reaches(guesser, port)));
  assert.ok(reaches(other, sshPort) && reaches(other, otherPort));

  run('nft flush ruleset'); // as a firewall that is loaded again
  await until(() => !reaches(guesser, otherPort));
  await guard.ask('POST', '/unban', { ip: guesser });
  await until(() => reaches(guesser, otherPort));

  await guard.ask('POST', '/ban', { ip: guesser });
  await until(() => !reaches(guesser, otherPort));
  guard.signal('SIGTERM');
  await guard.ended;
  assert.ok(!reaches(guesser, otherPort), 'the table stays when the daemon stops');
});
