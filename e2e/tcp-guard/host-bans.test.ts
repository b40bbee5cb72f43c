/**
 * A host on which nothing was moved: sshd writes its log, tcp-guard reads it, and nftables drops every packet of a
 * client that guesses passwords. The client lives in a separate network namespace.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { guessPasswords, openssh } from '../../conformance/servers/openssh.ts';
import { reasonToSkip, startServer } from '../../conformance/servers/running.ts';
import type { ServerEnvironment } from '../../conformance/servers/server.ts';
import { packageRoot } from '../../platform/assets.ts';
import { until } from '../../platform/testing/until.ts';
import { guesser, host, openNamespace, other, run, serveIn, skipNamespaces } from './namespaces.ts';
import { startGuard } from './process.ts';

const otherPort = 8081;

const skip = skipNamespaces || reasonToSkip(openssh);

/** Returns a function that tries a wrong password for a user. */
function guesserIn([nsenter = '', ...inside]: readonly string[], server: ServerEnvironment): (user: string) => void {
  return (user) => {
    const { program, args, env } = guessPasswords(server.ports.ssh, server, 1, `${user}@${host}`);
    const command = [...inside, program, '-b', guesser, '-o', 'ConnectTimeout=5', ...args];
    // The ban may drop the packets of the connection that earned it, for which TCP waits a quarter of an hour.
    spawnSync(nsenter, command, { env: { ...process.env, ...env }, timeout: 30_000, killSignal: 'SIGKILL' });
  };
}

test('wrong passwords in the log of sshd close every port of the host, until the ban is lifted', {
  skip,
}, async (t) => {
  const client = await openNamespace(t, 'client', host, [guesser, other]);
  const server = await startServer(t, openssh, { address: '0.0.0.0', failureDelay: 0 });
  const sshPort = server.ports.ssh;
  serveIn(t, [], otherPort);
  t.after(() => spawnSync('nft', ['flush', 'ruleset'])); // the table stays when the daemon stops
  const guard = await startGuard(t, {
    bans: { scope: 'host' },
    intake: [{ file: server.log, format: 'sshd', window: '10m' }],
  });
  const reaches = (from: string, port: number): boolean => client.reaches(from, host, port);
  await until(() => [sshPort, otherPort].every((port) => reaches(guesser, port)));

  const guess = guesserIn(client.enter, server);
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
