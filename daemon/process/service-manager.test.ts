/** Messages to systemd. Perl receives them on a Unix datagram socket, which Node does not have. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { spawnDaemon, withSocket } from '../testing/spawned.ts';
import { serviceManager } from './service-manager.ts';

const missing = ['systemd-notify', 'perl'].find((name) => spawnSync(name, ['--version']).status !== 0);
const skip = missing !== undefined && `${missing} is not installed`;

const receive = `
use IO::Socket::UNIX; use Socket;
my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die; $| = 1;
while (1) { $s->recv(my $text, 4096); next if $text =~ /^BARRIER=1/; $text =~ s/\\n/;/g; print "$text\\n"; }`;

async function receiver(t: TestContext) {
  const socket = join(temporaryFolder(), 'notify');
  const child = spawn('perl', ['-e', receive, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const received = { socket, text: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received.text += text;
  });
  await until(() => existsSync(socket));
  return received;
}

const pingsIn = ({ text }: { readonly text: string }): number => text.split('WATCHDOG=1').length - 1;

for (const workers of [1, 2])
  test(`systemd learns that the daemon is ready, responds and ends, workers: ${workers}`, { skip }, async (t) => {
    const received = await receiver(t);
    const folder = temporaryFolder();
    const path = join(folder, 'tcp-guard.yaml');
    writeFileSync(path, JSON.stringify(withSocket(folder, { services: {}, global: { workers } })));
    const child = spawnDaemon(t, path, { NOTIFY_SOCKET: received.socket, WATCHDOG_USEC: '300000' });
    await until(() => received.text.includes('READY=1;STATUS=API on '));
    await until(() => pingsIn(received) > 2);
    assert.doesNotMatch(received.text, /STOPPING/);
    child.kill('SIGTERM');
    await until(() => child.hasEnded && received.text.includes('STOPPING=1'));
    assert.equal(child.exitCode, 0, child.said);
    assert.equal(received.text.split('READY=1').length, 2);
  });

/** A process whose event loop blocks after SIGUSR2. */
const blocking = `
const { serviceManager } = await import(process.argv[1]);
serviceManager({ env: process.env, log: console.error }).ready('x');
process.once('SIGUSR2', () => { for (;;); });
setInterval(() => {}, 1000);`;

test('a process whose event loop is blocked sends no watchdog messages', { skip }, async (t) => {
  const [blocked, other] = [await receiver(t), await receiver(t)];
  const module = new URL(`./service-manager.${import.meta.filename.split('.').at(-1)}`, import.meta.url).href;
  const start = ({ socket }: { readonly socket: string }) => {
    const env = { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '150000' };
    const child = spawn(process.execPath, ['--input-type=module', '-e', blocking, module], { env });
    t.after(() => child.kill('SIGKILL'));
    return child;
  };
  const child = start(blocked);
  start(other);
  await until(() => pingsIn(blocked) > 2 && pingsIn(other) > 2);
  child.kill('SIGUSR2');
  // Messages that were already being sent may still arrive. Meanwhile the process that is not blocked sends ten.
  await until(async () => {
    const [pings, others] = [pingsIn(blocked), pingsIn(other)];
    await until(() => pingsIn(other) >= others + 10);
    return pingsIn(blocked) === pings;
  });
});

test('nothing is sent without systemd, and no watchdog message for another process', { skip }, async (t) => {
  const received = await receiver(t);
  const said: string[] = [];
  const log = (message: string) => void said.push(message);
  const env = { PATH: process.env.PATH };
  serviceManager({ env, log }).ready('without a socket');
  const other = { ...env, NOTIFY_SOCKET: received.socket, WATCHDOG_USEC: '3000', WATCHDOG_PID: '1' };
  const manager = serviceManager({ env: other, log });
  manager.ready('first');
  await until(() => received.text.includes('first'));
  manager.stopping();
  await until(() => received.text.includes('STOPPING=1'));
  assert.equal(received.text, 'READY=1;STATUS=first\nSTOPPING=1\n');
  assert.deepEqual(said, []);
});

test('a tool that fails is reported once', async () => {
  const said: string[] = [];
  const env = { PATH: temporaryFolder(), NOTIFY_SOCKET: '/nowhere' };
  const manager = serviceManager({ env, log: (message) => void said.push(message) });
  manager.ready('x');
  await until(() => said.length > 0);
  manager.stopping();
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(said.join(), /^cannot notify systemd: spawn systemd-notify ENOENT$/);
});

test('a tool that the system refuses to start is reported once', () => {
  const said: string[] = [];
  const env = { NOTIFY_SOCKET: '/nowhere', LONG: 'x'.repeat(2 ** 22) }; // too long for execve(2), so spawn throws
  const manager = serviceManager({ env, log: (message) => void said.push(message) });
  manager.ready('x');
  manager.stopping();
  assert.match(said.join(), /^cannot notify systemd: spawn E2BIG$/);
});
