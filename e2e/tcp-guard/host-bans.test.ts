/**
 * A host on which nothing was moved: sshd writes its log, tcp-guard reads it, and nftables drops every packet of a
 * client that guesses passwords. The client lives in a separate network namespace.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { guesser, host, openNamespace, other, run, serveIn, skipNamespaces } from './namespaces.ts';
import { startGuard } from './process.ts';

const [sshPort, otherPort] = [2022, 8081];

const programs = ['/usr/sbin/sshd', '/usr/bin/ssh'];
const missing = programs.find((path) => !existsSync(path));
const skip = skipNamespaces || (missing !== undefined && `${missing} is not installed`);

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
    // The ban may drop the packets of the connection that earned it, for which TCP waits a quarter of an hour.
    spawnSync(nsenter, [...inside, 'ssh', ...args], { env, timeout: 30_000, killSignal: 'SIGKILL' });
  };
}

test('wrong passwords in the log of sshd close every port of the host, until the ban is lifted', {
  skip,
}, async (t) => {
  const client = await openNamespace(t, 'client', host, [guesser, other]);
  const folder = scratchFolder('guard-host-');
  const log = await startSshd(t, folder);
  serveIn(t, [], otherPort);
  t.after(() => spawnSync('nft', ['flush', 'ruleset'])); // the table stays when the daemon stops
  const guard = await startGuard(t, {
    bans: { scope: 'host' },
    intake: [{ file: log, format: 'sshd', window: '10m' }],
  });
  const reaches = (from: string, port: number): boolean => client.reaches(from, host, port);
  await until(() => [sshPort, otherPort].every((port) => reaches(guesser, port)));

  const guess = guesserIn(client.enter, folder);
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

  // The connection of the last guess may still be open, and it is one to the SSH server.
  const { status, body } = await guard.ask('POST', '/ban', { ip: guesser, force: true });
  assert.equal(status, 201, body);
  await until(() => !reaches(guesser, otherPort));
  guard.signal('SIGTERM');
  await guard.ended;
  assert.ok(!reaches(guesser, otherPort), 'the table stays when the daemon stops');
  assert.match(guard.stderr(), /1 bans stay in the firewall until they end; to lift them: tcp-guard bans flush/);
  const prerm = join(packageRoot, 'packaging/debian/prerm');
  run(`sh ${prerm} upgrade`);
  assert.ok(!reaches(guesser, otherPort));
  run(`sh ${prerm} remove`);
  assert.ok(reaches(guesser, otherPort), 'the removal of the package deletes the table');
});
