/**
 * firewalld of Debian as its unit, beside the table of tcp-guard. firewalld opens a port of the host and leads another one
 * to a container.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { guesser, other, run, skipNamespaces } from '../tcp-guard/namespaces.ts';
import { container, containerPort, ownPort, publishedPort, startHost } from '../tcp-guard/published-host.ts';

/** Runs only in the test image with systemd, which has firewalld and D-Bus. */
const skip = existsSync('/run/test-command') ? skipNamespaces : 'not in the test image';

/** The table of tcp-guard with its handle, which another table of this name would not have. */
const ourTable = (): string => /^table inet request_guard .*$/m.exec(run('nft -a list ruleset'))?.[0] ?? '';

/** firewalld lets packets be forwarded. A container has its /proc/sys read-only, so the unit mounts another one for itself. */
const dropIn = `[Service]
ExecStart=
ExecStart=unshare -m sh -c 'mount -t proc proc /proc && exec /usr/sbin/firewalld --nofork --nopid'
`;

function startFirewalld(): void {
  const folder = '/run/systemd/system/firewalld.service.d';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'proc.conf'), dropIn);
  run('systemctl daemon-reload');
  run('systemctl start firewalld.service');
}

function openPorts(): void {
  const forward = `port=${publishedPort}:proto=tcp:toport=${containerPort}:toaddr=${container}`;
  for (const option of [`port=${ownPort}/tcp`, 'masquerade', `forward-port=${forward}`])
    run(`firewall-cmd --permanent --add-${option}`);
  run('firewall-cmd --reload');
}

test('a ban closes every port beside firewalld, and its reloads leave the table alone', { skip }, async (t) => {
  startFirewalld();
  openPorts();
  const { guard, reachesAll, reachesAny } = await startHost(t);
  await until(() => reachesAll(guesser));
  await guard.ask('POST', '/ban', { ip: guesser });
  await until(() => !reachesAny(guesser));
  assert.ok(reachesAll(other));

  const before = ourTable();
  assert.match(before, /handle \d+$/);
  for (const reload of [
    'firewall-cmd --reload',
    'firewall-cmd --complete-reload',
    'systemctl restart firewalld.service',
  ]) {
    run(reload);
    assert.ok(!reachesAny(guesser), reload);
    assert.equal(ourTable(), before, reload);
    assert.ok(reachesAll(other), reload);
  }

  run('nft flush ruleset');
  const flushed = performance.now();
  run('systemctl restart firewalld.service'); // a reload fails without the table of firewalld
  await until(() => ourTable() !== '');
  t.diagnostic(`restored after ${Math.round(performance.now() - flushed)} ms`);
  assert.ok(!reachesAny(guesser));
  assert.ok(reachesAll(other));
  run('systemctl stop firewalld.service'); // which removes its rules
  assert.ok(!reachesAny(guesser));
});
