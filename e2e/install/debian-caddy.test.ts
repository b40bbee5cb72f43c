/** Installs the Debian package of Caddy with the guard beside Debian's Caddy, in a container with systemd. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { buildArtefact } from '../../artefacts/build.ts';
import { buildCaddyPackage } from '../../packaging/debian/caddy.ts';
import { packageVersion } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { get } from '../caddy/process.ts';
import { lintian } from './lintian.ts';

/** Runs only in the test image with systemd, because the package changes the machine. */
const skip = process.getuid?.() === 0 && existsSync('/run/test-command') ? false : 'not in the test image';

const run = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args)).stdout;

const folder = scratchFolder('guard-debian-caddy-');
const caddyfile = '/etc/caddy/Caddyfile';

const build = async (version: string): Promise<string> =>
  (await buildCaddyPackage({ folder, version, compression: 'none' }, await buildArtefact('caddy'))).file;

async function install(version: string): Promise<void> {
  await run('dpkg', '--install', await build(version));
}

const program = async (): Promise<string> => (await run('readlink', '--canonicalize', '/usr/bin/caddy')).trim();
const mainPid = (): Promise<string> => run('systemctl', 'show', '--value', '--property', 'MainPID', 'caddy');
const serves = (): Promise<void> =>
  until(
    () =>
      get(8088, '/').then(
        (status) => status === 200,
        () => false,
      ),
    'Caddy to serve',
  ); // prettier-ignore

test('lintian finds no error in the package', { skip }, async () => {
  await lintian(await build(packageVersion()));
});

test('the package makes the service of Debian run Caddy with the guard', { skip }, async () => {
  rmSync('/usr/sbin/policy-rc.d', { force: true });
  writeFileSync(caddyfile, ':8088\nrespond ok\n');
  await run('systemctl', 'restart', 'caddy');
  await serves();
  assert.equal(await get(8088, '/.env'), 200);

  await install(packageVersion());
  assert.equal(await program(), '/usr/lib/request-guard/caddy');
  assert.match(await run('caddy', 'list-modules'), /^http\.handlers\.guard$/m);
  writeFileSync(caddyfile, '{\n\torder guard first\n}\n:8088\nguard\nrespond ok\n');
  await run('systemctl', 'reload', 'caddy');
  await until(async () => (await get(8088, '/.env')) === 403, 'the guard');
  assert.equal(await get(8088, '/'), 200);
});

test('an upgrade restarts Caddy, and one of Debian changes nothing', { skip }, async () => {
  const before = await mainPid();
  await install('99.0.0');
  assert.notEqual(await mainPid(), before);
  await serves();
  await run('dpkg-divert', '--truename', '/usr/bin/caddy').then((path) =>
    assert.equal(path, '/usr/bin/caddy.default\n'),
  );
  assert.equal(await get(8088, '/.env'), 403);
});

test("removing gives Debian's Caddy back, and stops none that runs", { skip }, async () => {
  await run('dpkg', '--purge', 'request-guard-caddy');
  assert.equal(await program(), '/usr/bin/caddy');
  assert.equal(await run('dpkg-divert', '--list', '/usr/bin/caddy'), '');
  assert.doesNotMatch(await run('caddy', 'list-modules'), /guard/);
  assert.equal(await get(8088, '/.env'), 403);
  await run('systemctl', 'stop', 'caddy');
});

test('the package installs where Debian has no Caddy', { skip }, async () => {
  await run('dpkg', '--purge', 'caddy');
  await install(packageVersion());
  assert.equal(await program(), '/usr/lib/request-guard/caddy');
  await run('dpkg', '--purge', 'request-guard-caddy');
  assert.ok(!existsSync('/usr/bin/caddy'));
});
