/**
 * Socket activation. Perl owns the listening socket, as systemd does, and starts the daemon with it as often as the
 * test requests.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, echo, guardedService, startUpstream, temporaryFolder, testFile } from '../testing/daemon.ts';
import { program } from '../testing/spawned.ts';
import { inheritedSockets } from './inherited.ts';

const skip = spawnSync('perl', ['--version']).status !== 0 && 'perl is not installed';

const manager = `
BEGIN { $^F = 10 } use IO::Socket::INET; $| = 1;
my ($port, $name, @command) = @ARGV;
my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 64, ReuseAddr => 1) or die;
my $pid;
while (my $line = <STDIN>) {
  if ($line =~ /start/) {
    $pid = fork();
    if (!$pid) { $ENV{LISTEN_PID} = $$; $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_FDNAMES} = $name; exec @command; }
  } else { kill 'TERM', $pid; waitpid($pid, 0); print STDERR "ended $?\\n"; }
}`;

test('a listening socket of systemd outlives a restart, and connections wait in it', { skip }, async (t) => {
  const { port: to } = await startUpstream(t, echo);
  const port = await freePort();
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  writeFileSync(
    path,
    JSON.stringify(testFile(folder, { services: { one: guardedService(to, { listen: `127.0.0.1:${port}` }) } })),
  );
  const command = [process.execPath, program, '-c', path];
  const child = spawn('perl', ['-e', manager, `${port}`, 'one', ...command], { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  t.after(() => child.kill('SIGKILL'));
  const count = (text: string) => said.split(text).length - 1;
  const echoed = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    socket.write('x');
    return `${await bytesOf(socket, 1)}`;
  };
  child.stdin.write('start\n');
  await until(() => count('ready') === 1);
  assert.equal(await echoed(), 'x', said);
  child.stdin.write('stop\n');
  await until(() => count('ended 0') === 1);
  const waiting = echoed();
  child.stdin.write('start\n');
  assert.equal(await waiting, 'x');
  child.stdin.write('stop\n');
  await until(() => count('ended 0') === 2);
  child.stdin.end();
});

test('takes only sockets for this process, each with the name of a service', () => {
  const pid = String(process.pid);
  const env = (names: string, of = pid) => ({ LISTEN_PID: of, LISTEN_FDS: '2', LISTEN_FDNAMES: names });
  const mine = env('ssh:mail');
  assert.deepEqual(
    [...inheritedSockets(mine)],
    [
      ['ssh', 3],
      ['mail', 4],
    ],
  );
  assert.deepEqual(mine, {});
  assert.equal(inheritedSockets(env('ssh:mail', '1')).size, 0);
  assert.equal(inheritedSockets({}).size, 0);
  assert.throws(() => inheritedSockets(env('ssh:ssh')), /socket 2 of 2 from systemd has the name ssh, as another/);
  assert.throws(() => inheritedSockets(env('ssh')), /socket 2 of 2 from systemd has no name/);
});
