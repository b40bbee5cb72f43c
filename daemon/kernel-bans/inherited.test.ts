/** A listening socket of another process, as with systemd. A perl script opens it and starts the daemon with it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { guardedService, temporaryFolder } from '../testing/daemon.ts';
import { client, skip as noKernel, timeout, withKernel } from '../testing/kernel-bans.ts';
import { program, send, withSocket } from '../testing/spawned.ts';

const skip = noKernel || (spawnSync('perl', ['--version']).status !== 0 && 'perl is not installed');

/** The perl script. It keeps the socket open after the daemon has ended. */
const manager = `
BEGIN { $^F = 10 } use IO::Socket::INET;
my ($port, @command) = @ARGV;
my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 64, ReuseAddr => 1) or die;
my $pid = fork();
if (!$pid) { $ENV{LISTEN_PID} = $$; $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_FDNAMES} = 'one'; exec @command; }
print STDERR "pid $pid\\n"; waitpid($pid, 0); print STDERR "ended\\n"; sleep 1000;`;

function manage(t: TestContext, port: number, config: string) {
  const command = [process.execPath, program, '-c', config];
  const child = spawn('perl', ['-e', manager, `${port}`, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  const managed = {
    said: '',
    kill: () => process.kill(Number(/^pid (\d+)$/m.exec(managed.said)?.[1]), 'SIGKILL'),
  };
  t.after(() => {
    child.kill('SIGKILL');
    if (!managed.said.includes('ended')) managed.kill();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    managed.said += text;
  });
  return managed;
}

test('the kernel refuses at a socket of the service manager, and no longer once its daemon was killed', {
  timeout,
  skip,
}, async (t) => {
  const port = await freePort();
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  const services = { one: guardedService(9, { listen: `127.0.0.1:${port}` }) };
  writeFileSync(path, JSON.stringify(withSocket(folder, withKernel({ services }))));
  const managed = manage(t, port, path);
  await until(
    () => managed.said.includes('ready'),
    () => managed.said,
  );
  const stats = async () => JSON.parse(await send(folder, 'GET', '/stats'));
  await send(folder, 'POST', '/ban', JSON.stringify({ ip: client }));
  assert.deepEqual((await stats()).kernel_bans.exceptions, []);
  const socket: Socket = connect({ host: '127.0.0.1', port, localAddress: client });
  t.after(() => socket.destroy());
  const connected = once(socket, 'connect');
  await until(async () => (await stats()).services.one.total_blocked > 0);
  assert.ok(socket.connecting, 'the client waits');
  managed.kill();
  await until(() => managed.said.includes('ended'));
  await connected; // the client retries its first packet, which is then accepted
});
