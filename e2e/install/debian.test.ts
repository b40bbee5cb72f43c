/** Installs the Debian package in a container whose first process is systemd. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { writeAptRepository } from '../../packaging/debian/apt.ts';
import { buildDebian, product } from '../../packaging/debian/build.ts';
import type { Product } from '../../packaging/debian/control.ts';
import type { BuiltPackage } from '../../packaging/debian/pack.ts';
import { packageRoot, packageVersion } from '../../platform/assets.ts';
import { freePorts } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { listen } from '../support/listen.ts';
import { lintian } from './lintian.ts';

/** Runs only in the test image with systemd, because the package changes the machine. */
const skip = process.getuid?.() === 0 && existsSync('/run/test-command') ? false : 'not in the test image';

const run = async (...args: string[]): Promise<string> => {
  const [program = '', ...others] = args;
  return (await promisify(execFile)(program, others)).stdout;
};

const folder = scratchFolder('guard-debian-');
const configuration = '/etc/guard/tcp-guard.yaml';
const policyFile = '/usr/sbin/policy-rc.d';

const repository = join(folder, 'apt');

/** The package before this one had the daemon, with the same scripts of its maintainer. */
const { replaces: predecessorName, ...described } = product;
const predecessor: Product = { ...described, name: predecessorName ?? '' };

const archives = new Map<string, Promise<BuiltPackage>>();

/** Builds each package once: it has 150 MB. */
async function build(version: string, wanted: Product = product): Promise<string> {
  const key = `${wanted.name} ${version}`;
  const built = archives.get(key) ?? buildDebian({ folder, version, compression: 'none' }, wanted);
  archives.set(key, built);
  return (await built).file;
}

/** Installs a version from an apt repository of files. Returns what apt prints, with the output of the package's scripts. */
async function install(version: string, wanted: Product = product): Promise<string> {
  const file = await build(version, wanted);
  await writeAptRepository(repository, [file]);
  const list = join(folder, 'request-guard.list');
  writeFileSync(list, `deb [trusted=yes] file://${repository} stable main\n`);
  const only = ['-q', '-o', `Dir::Etc::sourcelist=${list}`, '-o', 'Dir::Etc::sourceparts=-'];
  await run('apt-get', ...only, 'update');
  const args = [...only, 'install', '--yes', '--allow-downgrades', `${wanted.name}=${version}-1`];
  return run('apt-get', ...args);
}

const systemctl = (...args: string[]): Promise<string> => run('systemctl', ...args);
const property = async (name: string): Promise<string> =>
  (await systemctl('show', '--value', '--property', name, 'tcp-guard')).trim();
const isEnabled = (): Promise<string> =>
  systemctl('is-enabled', 'tcp-guard')
    .catch(({ stdout }) => stdout)
    .then((text: string) => text.trim());

async function session(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk))).on('error', () => {});
  await once(socket, 'connect');
  return { socket, received: () => text };
}

const at = (path: string): string => `http://127.0.0.1:9091${path}`;

const post = (path: string, body: object): Promise<Response> =>
  fetch(at(path), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const hasBan = async (): Promise<boolean> => /192\.0\.2\.7/.test(await (await fetch(at('/banlist'))).text());

/** Returns the port of tcp-guard in front of an echo, after a reload by an administrator. */
async function guardedEcho(t: TestContext): Promise<number> {
  const [port = 0] = await freePorts(1);
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  const upstream = await listen(t, echo);
  const services = { echo: { listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}` } };
  writeFileSync(configuration, JSON.stringify({ version: 1, services }));
  await systemctl('reload', 'tcp-guard');
  await until(() => isOpen(port), 'the service after the reload');
  return port;
}

const isOpen = (port: number): Promise<boolean> =>
  session(port).then(
    ({ socket }) => Boolean(socket.destroy()),
    () => false,
  );

async function echoes(port: number): Promise<void> {
  const { socket, received } = await session(port);
  socket.write('x');
  await until(() => received() === 'x', 'the echo');
  socket.destroy();
}

/** Kills the main process, and waits until systemd has started another one. */
async function afterKill(signal: string): Promise<void> {
  const restarts = Number(await property('NRestarts'));
  await systemctl('kill', '--kill-whom=main', `--signal=${signal}`, 'tcp-guard');
  await until(async () => Number(await property('NRestarts')) > restarts && (await property('SubState')) === 'running');
}

test('lintian finds no error in the package', { skip }, async () => {
  await lintian(await build(packageVersion()));
});

test('the Debian package starts nothing where policy-rc.d refuses', { skip }, async () => {
  assert.match(await install(packageVersion()), /policy-rc.d returned 101/);
  assert.deepEqual([await property('ActiveState'), await isEnabled()], ['inactive', 'enabled']);
  const modes = ['/etc/guard', '/var/lib/guard', '/var/log/guard'].map((path) => statSync(path).mode & 0o777);
  assert.deepEqual(modes, [0o750, 0o700, 0o751]);
  assert.equal(statSync(configuration).mode & 0o777, 0o640);
  assert.equal(await run('tcp-guard', '--version'), `${packageVersion()}\n`);
  rmSync(policyFile);
  await systemctl('start', 'tcp-guard');
});

test('an upgrade keeps bans, configuration and an open session, with one restart; so does a downgrade', {
  skip,
}, async (t) => {
  const port = await guardedEcho(t);
  assert.equal((await post('/ban', { ip: '192.0.2.7' })).status, 201);
  const changed = readFileSync(configuration, 'utf8');
  const before = await property('MainPID');

  const open = await session(port);
  open.socket.write('before');
  await until(() => open.received() === 'before', 'the echo');
  await build('99.0.0'); // takes as long as the installation on a loaded machine
  const upgrade = install('99.0.0');
  await until(async () => !(await isOpen(port)), 'the old daemon to drain');
  open.socket.write(' and after');
  await until(
    () => open.received() === 'before and after',
    () => `the echo while it drains: ${open.received()}`,
  );
  open.socket.end();
  await upgrade;
  assert.equal(await run('tcp-guard', '--version'), '99.0.0\n');
  assert.equal(readFileSync(configuration, 'utf8'), changed);
  assert.ok(await hasBan());
  await echoes(port);
  const starts = await run('journalctl', '--unit=tcp-guard', '--output=cat', '--grep=^ready');
  assert.equal(starts.trim().split('\n').length, 2);
  assert.notEqual(await property('MainPID'), before);
  assert.equal(await property('NRestarts'), '0');

  await install(packageVersion());
  assert.equal(await run('tcp-guard', '--version'), `${packageVersion()}\n`);
  assert.deepEqual([readFileSync(configuration, 'utf8'), await hasBan()], [changed, true]);
  await echoes(port);
});

test('an upgrade leaves a disabled service disabled', { skip }, async () => {
  await systemctl('disable', '--now', 'tcp-guard');
  await install('99.0.0');
  assert.deepEqual([await property('ActiveState'), await isEnabled()], ['inactive', 'disabled']);
  await systemctl('enable', '--now', 'tcp-guard');
});

test('systemd restarts a daemon that was killed, and one that hangs', { skip }, async () => {
  await afterKill('SIGKILL');
  assert.ok(await hasBan());
  await afterKill('SIGSTOP'); // until the watchdog of the unit expires
  assert.ok(await hasBan());
});

test('systemd confines the daemon', { skip }, async () => {
  await run('systemd-analyze', 'security', '--no-pager', '--threshold=20', 'tcp-guard.service');
  const status = readFileSync(`/proc/${await property('MainPID')}/status`, 'utf8');
  const onlyPorts = (1 << 10).toString(16).padStart(16, '0'); // CAP_NET_BIND_SERVICE
  for (const name of ['CapEff', 'CapBnd']) assert.match(status, new RegExp(`^${name}:\\s${onlyPorts}$`, 'm'));
  assert.match(status, /^NoNewPrivs:\s1$/m);
  assert.match(status, /^Seccomp:\s2$/m);
});

/** Writes a line to the journal as a unit, which lives until the journal has read its fields. */
async function logAs(unit: string, line: string): Promise<void> {
  const command = `/bin/sh -c 'echo "${line}"; sleep 1'`;
  writeFileSync(`/run/systemd/system/${unit}`, `[Service]\nType=oneshot\nExecStart=${command}\n`);
  await systemctl('daemon-reload');
  await systemctl('start', unit);
}

test('the journal of a unit bans who guesses passwords, and another unit cannot', { skip }, async (t) => {
  const before = readFileSync(configuration, 'utf8');
  const dropIn = '/run/systemd/system/tcp-guard.service.d/host.conf';
  t.after(async () => {
    writeFileSync(configuration, before);
    rmSync(dropIn);
    await systemctl('daemon-reload');
    await systemctl('restart', 'tcp-guard');
  });
  mkdirSync(dirname(dropIn), { recursive: true });
  writeFileSync(dropIn, '[Service]\nSupplementaryGroups=systemd-journal\nProcSubset=all\n');
  const intake = [{ unit: 'false-ssh.service', format: 'sshd', after: 1, window: '10m' }];
  writeFileSync(configuration, JSON.stringify({ version: 1, intake }));
  await systemctl('daemon-reload');
  await systemctl('restart', 'tcp-guard');
  const failed = (ip: string) => `Failed password for root from ${ip} port 4711 ssh2`;
  const banned = async () => (await fetch(at('/banlist'))).text();
  await logAs('other.service', failed('192.0.2.66'));
  // The daemon may not follow the journal yet. Each line is of another address, because one ban is enough.
  for (let last = 1; !/198\.51\.100\./.test(await banned()) && last < 10; last += 1)
    await logAs('false-ssh.service', failed(`198.51.100.${last}`));
  const health = await (await fetch(at('/health'))).text();
  assert.match(await banned(), /198\.51\.100\./, health);
  assert.doesNotMatch(await banned(), /192\.0\.2\.66/);
});

test('the daemon serves while its disk is full', { skip }, async (t) => {
  const store = '/var/lib/guard';
  await systemctl('stop', 'tcp-guard');
  await run('mount', '-t', 'tmpfs', '-o', 'size=256k,mode=0700,uid=guard,gid=guard', 'none', store);
  t.after(async () => {
    await systemctl('stop', 'tcp-guard');
    await run('umount', store);
    await systemctl('start', 'tcp-guard');
  });
  await systemctl('start', 'tcp-guard');
  await run('sh', '-c', `cat /dev/zero >${store}/filler || true`);
  await until(async () => (await post('/ban', { ip: '192.0.2.8' })).status === 507, 'a ban that is not stored');
  assert.equal(await property('ActiveState'), 'active');
  rmSync(join(store, 'filler'));
  await until(async () => (await post('/ban', { ip: '192.0.2.9' })).status === 201, 'a ban that is stored');
});

test('log rotation as the user of the daemon makes it open another file', { skip }, async () => {
  const log = '/var/log/guard/tcp-guard.jsonl';
  await systemctl('restart', 'tcp-guard');
  writeFileSync(log, '{}\n', { flag: 'a' });
  rmSync('/var/lib/logrotate', { recursive: true, force: true });
  mkdirSync('/var/lib/logrotate');
  await run('/usr/sbin/logrotate', '--force', '/etc/logrotate.d/tcp-guard');
  await until(() => existsSync(log), 'another file');
  assert.equal(statSync(log).uid, statSync('/var/lib/guard').uid);
});

const dropIn = '/etc/systemd/system/tcp-guard.service.d/host.conf';
const rotation = '/etc/logrotate.d/tcp-guard';

/** Installs the package before this one, and changes what an administrator changes. Returns the port of its service. */
async function installPredecessor(t: TestContext): Promise<number> {
  await run('dpkg', '--purge', 'request-guard');
  await install(packageVersion(), predecessor);
  mkdirSync(dirname(dropIn), { recursive: true });
  writeFileSync(dropIn, '[Service]\nEnvironment=OF_THE_OWNER=yes\n');
  writeFileSync(rotation, `# of the owner\n${readFileSync(rotation, 'utf8')}`);
  const port = await guardedEcho(t);
  assert.equal((await post('/ban', { ip: '192.0.2.7' })).status, 201);
  return port;
}

const kept = (): string[] => [configuration, dropIn, rotation].map((path) => readFileSync(path, 'utf8'));

test('the package takes over the bans, the configuration and the unit of tcp-guard, whose purge deletes none', {
  skip,
}, async (t) => {
  const port = await installPredecessor(t);
  const before = kept();
  await install(packageVersion());
  await run('dpkg', '--purge', 'tcp-guard');
  assert.deepEqual([kept(), await hasBan(), await isEnabled()], [before, true, 'enabled']);
  assert.match(await property('Environment'), /OF_THE_OWNER=yes/);
  await echoes(port);

  await systemctl('disable', '--now', 'tcp-guard');
  await install(packageVersion(), predecessor);
  assert.equal(await run('tcp-guard', '--version'), `${packageVersion()}\n`);
  await install(packageVersion());
  assert.deepEqual([kept(), await property('ActiveState'), await isEnabled()], [before, 'inactive', 'disabled']);
  await systemctl('enable', '--now', 'tcp-guard');
  assert.ok(await hasBan());
  await echoes(port);
});

test('guardcli works without npm and without a compiler: offline, in the shell, and up to the container runtime', {
  skip,
}, async () => {
  writeFileSync(join(folder, 'guard.json'), '{}');
  const options = { cwd: folder, encoding: 'utf8', env: { PATH: '/usr/bin:/bin', HOME: folder } } as const;
  const [, firstAnswer = ''] = blockWith('docs/install.md', 'sh', 'apt install').split('\n');
  const verdict = spawnSync('sh', ['-c', firstAnswer], options);
  assert.deepEqual([verdict.status, /BLOCKED/.test(verdict.stdout)], [0, true], verdict.stdout + verdict.stderr);
  const sandbox = spawnSync('guardcli', ['sandbox', 'caddy', 'guard.json', '--test'], options);
  assert.match(sandbox.stderr, /no container runtime/, sandbox.stdout + sandbox.stderr);
  const script = '. /usr/share/bash-completion/completions/guardcli; complete -p guardcli';
  assert.match(await run('bash', '-c', script), /-F _guardcli guardcli/);
});

test('removing keeps the configuration and the bans; purging keeps only what others wrote', { skip }, async () => {
  await run('dpkg', '-r', 'request-guard');
  for (const path of [configuration, '/var/lib/guard/bans.sqlite']) assert.ok(existsSync(path), path);
  assert.ok(!existsSync('/usr/bin/tcp-guard'));
  await install(packageVersion());
  assert.ok(await hasBan());
  const [log, policy] = ['/var/log/guard/caddy.jsonl', '/etc/guard/guard.json'];
  for (const path of [log, policy]) writeFileSync(path, '{}\n');
  await run('dpkg', '--purge', 'request-guard');
  assert.deepEqual([readdirSync('/etc/guard'), readdirSync('/var/log/guard')], [['guard.json'], ['caddy.jsonl']]);
  for (const path of ['/var/lib/guard', '/etc/logrotate.d/tcp-guard']) assert.ok(!existsSync(path), path);
  assert.equal(await isEnabled(), '');
});

test('the package has a manual page of the help, and the licenses of all that it contains', { skip }, async () => {
  const archive = await build(packageVersion());
  execFileSync('dpkg-deb', ['-x', archive, join(folder, 'root')]);
  const page = await run('zcat', join(folder, 'root/usr/share/man/man8/tcp-guard.8.gz'));
  assert.match(page, /^\.TH TCP\\-GUARD 8$/m);
  const help = await run(join(packageRoot, 'dist/bin/tcp-guard.js'), '--help');
  const [, options = ''] = help.split('\n\n');
  for (const line of options.split('\n')) assert.ok(page.includes(line.replaceAll('-', '\\-')), line);
  const copyright = readFileSync(join(folder, 'root/usr/share/doc/request-guard/copyright'), 'utf8');
  for (const name of ['Request Guard', 'Node v26', 're2', 'zod', 'yaml', 'maxmind'])
    assert.match(copyright, new RegExp(`^${name}`, 'm'));
  const texts = await run('zcat', join(folder, 'root/usr/share/doc/request-guard/third-party.gz'));
  for (const text of ['Permission is hereby granted', 'Apache License']) assert.ok(texts.includes(text), text);
});
