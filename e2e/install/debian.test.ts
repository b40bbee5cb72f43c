/** Installs the Debian package in a container of the test image, where systemctl.sh replaces systemd. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { writeAptRepository } from '../../packaging/debian/apt.ts';
import { packageRoot, packageVersion } from '../../platform/assets.ts';
import { freePorts } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/until.ts';
import { listen } from '../support/listen.ts';

/** Runs only in the test image, because the package changes the machine. */
const skip = process.getuid?.() === 0 && existsSync('/usr/sbin/policy-rc.d') ? false : 'not in the test image';

const run = async (...args: string[]): Promise<string> => {
  const [program = '', ...others] = args;
  return (await promisify(execFile)(program, others)).stdout;
};

const folder = scratchFolder('guard-debian-');
const configuration = '/etc/guard/tcp-guard.yaml';
const calls = (): string[] => readFileSync('/run/systemd/calls', 'utf8').trim().split('\n');

const repository = join(folder, 'apt');

/** Installs a version from an apt repository of files. */
async function install(version: string): Promise<void> {
  await writeAptRepository(repository, await build(version));
  const list = join(folder, 'request-guard.list');
  writeFileSync(list, `deb [trusted=yes] file://${repository} stable main\n`);
  const only = ['-q', '-o', `Dir::Etc::sourcelist=${list}`, '-o', 'Dir::Etc::sourceparts=-'];
  await run('apt-get', ...only, 'update');
  await run('apt-get', ...only, 'install', '--yes', 'tcp-guard');
}

async function build(version: string): Promise<string> {
  const program = join(packageRoot, 'packaging/debian/build.ts');
  return (await run(process.execPath, program, folder, version, 'none')).trim();
}

async function session(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk))).on('error', () => {});
  await once(socket, 'connect');
  return { socket, received: () => text };
}

async function api(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method, ...(body && { headers, body: JSON.stringify(body) }) };
  return (await fetch(`http://127.0.0.1:9091${path}`, sent)).json();
}

/** Returns the port of tcp-guard in front of an echo, after a reload by an administrator. */
async function guardedEcho(t: TestContext): Promise<number> {
  const [port = 0] = await freePorts(1);
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  const upstream = await listen(t, echo);
  const services = { echo: { listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}` } };
  writeFileSync(configuration, JSON.stringify({ version: 1, services }));
  await run('tcp-guard', 'reload', '-c', configuration);
  return port;
}

before(() => {
  if (skip) return;
  mkdirSync('/run/systemd/system', { recursive: true });
  copyFileSync(join(packageRoot, 'e2e/install/systemctl.sh'), '/usr/bin/systemctl');
  chmodSync('/usr/bin/systemctl', 0o755);
  writeFileSync('/run/systemd/journal', '');
});

test('the Debian package: install, ban, upgrade with an open session, remove, purge', { skip }, async (t) => {
  await install(packageVersion());
  assert.deepEqual(calls(), [
    'daemon-reload',
    'enable --quiet tcp-guard.service',
    'is-enabled --quiet tcp-guard.service',
    'restart tcp-guard.service',
  ]);
  assert.deepEqual([statSync('/etc/guard').mode & 0o777, statSync('/var/lib/guard').mode & 0o777], [0o750, 0o700]);
  assert.equal(await run('tcp-guard', '--version'), `${packageVersion()}\n`);
  const port = await guardedEcho(t);
  await api('POST', '/ban', { ip: '192.0.2.7' });

  const open = await session(port);
  open.socket.write('before');
  await until(() => open.received() === 'before', 'the echo');
  const upgrade = install('99.0.0');
  const refuses = (): Promise<boolean> =>
    session(port).then(
      ({ socket }) => !socket.destroy(),
      () => true,
    );
  await until(refuses, 'the old daemon to drain');
  open.socket.write(' and after');
  await until(
    () => open.received() === 'before and after',
    () => `the echo while it drains: ${open.received()}`,
  );
  open.socket.end();
  await upgrade;
  assert.equal(await run('tcp-guard', '--version'), '99.0.0\n');
  assert.match(readFileSync(configuration, 'utf8'), /"echo"/);
  assert.match(JSON.stringify(await api('GET', '/banlist')), /192\.0\.2\.7/);
  const later = await session(port);
  later.socket.write('x');
  await until(() => later.received() === 'x', 'the echo of the new daemon');
  later.socket.destroy();

  await run('dpkg', '-r', 'tcp-guard');
  await assert.rejects(session(port));
  for (const path of [configuration, '/var/lib/guard']) assert.ok(existsSync(path), path);
  assert.ok(!existsSync('/usr/bin/tcp-guard'));

  await run('dpkg', '--purge', 'tcp-guard');
  for (const path of ['/etc/guard', '/var/lib/guard', '/var/log/guard', '/etc/logrotate.d/tcp-guard'])
    assert.ok(!existsSync(path), path);
});

test('the package has a manual page of the help, and the licenses of all that it contains', { skip }, async () => {
  const archive = await build(packageVersion());
  execFileSync('dpkg-deb', ['-x', archive, join(folder, 'root')]);
  const page = await run('zcat', join(folder, 'root/usr/share/man/man8/tcp-guard.8.gz'));
  assert.match(page, /^\.TH TCP\\-GUARD 8$/m);
  const help = await run(join(packageRoot, 'dist/bin/tcp-guard.js'), '--help');
  for (const line of help.split('\n').slice(5, 10)) assert.ok(page.includes(line.replaceAll('-', '\\-')), line);
  const copyright = readFileSync(join(folder, 'root/usr/share/doc/tcp-guard/copyright'), 'utf8');
  for (const name of ['Request Guard', 'Node v26', 're2', 'zod', 'yaml', 'maxmind'])
    assert.match(copyright, new RegExp(`^${name}`, 'm'));
});
