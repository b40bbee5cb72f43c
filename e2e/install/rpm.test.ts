/** Installs the rpm package in a container whose first process is systemd. The container runs Debian with its own rpm. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { buildRpm } from '../../packaging/rpm/build.ts';
import { packageVersion } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

/** Runs only in the test image with systemd, because the package changes the machine. */
const skip = process.getuid?.() === 0 && existsSync('/run/test-command') ? false : 'not in the test image';

const run = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { maxBuffer: 1e7 })).stdout;

const folder = scratchFolder('guard-rpm-test-');
const configuration = '/etc/guard/tcp-guard.yaml';

async function build(version: string): Promise<string> {
  return (await buildRpm({ folder, version, compression: 'w0.ufdio' })).file;
}

/** Debian has no database of rpm, so dependencies are not checked. */
const rpm = (...args: string[]): Promise<string> => run('rpm', '--nodeps', '--force-debian', ...args);
const isActive = (): Promise<string> =>
  run('systemctl', 'is-active', 'tcp-guard').catch(({ stdout }) => stdout as string);

test('the rpm package has both programs, and starts nothing at its installation', { skip }, async () => {
  const file = await build(packageVersion());
  const listed = await run('rpm', '-qlp', file);
  for (const path of ['bin/guardcli', 'bin/tcp-guard', 'share/zsh/site-functions/_guardcli', 'lib/request-guard/node'])
    assert.ok(listed.includes(`\n/usr/${path}\n`), path);
  await rpm('-i', file);
  assert.equal(await isActive(), 'inactive\n');
  assert.equal(await run('tcp-guard', '--version'), `${packageVersion()}\n`);
  assert.match(await run('guardcli', 'test', '/static/..%252f.env'), /^BLOCKED/m);
  assert.deepEqual(
    [configuration, '/var/lib/guard'].map((path) => statSync(path).mode & 0o777),
    [0o640, 0o700],
  );
  await run('systemctl', 'start', 'tcp-guard');
  assert.equal(await isActive(), 'active\n');
});

test('an upgrade restarts the daemon, which keeps its bans; a removal keeps them too', { skip }, async () => {
  await run('guardcli', 'bans', 'add', '--ip', '192.0.2.7');
  await rpm('-U', await build('99.0.0'));
  assert.equal(await run('tcp-guard', '--version'), '99.0.0\n');
  const pid = (await run('systemctl', 'show', '--value', '--property', 'MainPID', 'tcp-guard')).trim();
  const program = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  assert.match(program, /\/usr\/lib\/request-guard\/node/);
  assert.match(await run('guardcli', 'bans', 'list'), /192\.0\.2\.7/);
  await rpm('-e', 'request-guard');
  assert.ok(existsSync('/var/lib/guard/bans.sqlite'));
  assert.ok(!existsSync('/usr/bin/tcp-guard'));
  assert.equal(await isActive(), 'inactive\n');
});
