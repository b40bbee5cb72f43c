import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { until } from '../../../platform/until.ts';
import { echo, guarded, start, temporaryFolder, upstream } from '../../testing/daemon.ts';
import { client, isServed, refusalOf, signalNft, skips, timeout, withKernel } from '../../testing/kernel-bans.ts';
import { healthOf, send, spawnDaemon, withSocket } from '../../testing/spawned.ts';

const skip = skips.nft;
const another = '127.0.0.8';

const tables = (): string => execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' });

/** `SIGSTOP`: it does not respond any more. */
for (const [signal, reason] of [
  ['SIGKILL', /^nft ended \(SIGKILL\), and nft is being restarted$/],
  ['SIGSTOP', /^nft has not responded for 10 s, and nft is being restarted$/],
] as const)
  test(`an nft that got ${signal} is replaced, and has the lists of now`, { timeout, skip }, async (t) => {
    const { port } = await upstream(t, echo);
    const started = await start(t, withKernel('nft', { services: { one: guarded(port) } }));
    const { daemon, auditLines } = started;
    await daemon.bans.add({ ip: client, reason: 'test', origin: 'api' });
    await daemon.bans.add({ ip: '127.7.0.0/16', reason: 'test', origin: 'api' });
    assert.equal(await refusalOf(started, client), 'ban');
    await signalNft(process.pid, signal);
    await until(() => daemon.kernelBans().mechanism === 'user_space');
    assert.match(daemon.kernelBans().reason, reason);
    assert.match(daemon.problems().join(), /^bans.kernel is nft, and only the daemon refuses connections: nft /);
    await daemon.bans.remove(client);
    await daemon.bans.add({ ip: another, reason: 'test', origin: 'api' });
    await until(() => daemon.kernelBans().mechanism === 'nft');
    assert.equal(await refusalOf(started, '127.7.1.1'), 'ban');
    assert.equal(await refusalOf(started, another), 'ban');
    assert.ok(await isServed(started, client));
    await until(() => daemon.kernelBans().entries === 2);
    assert.deepEqual(daemon.problems(), []);
    const restarted = /only the daemon refuses connections until nft is restarted/;
    await until(() => restarted.test(JSON.stringify(auditLines())), 'the audit to have the restart');
    await until(() => tables().split(`tcp_guard_${process.pid}_`).length === 2, 'only the new table exists');
  });

test('keeps an nft that responded while the daemon was stopped', { timeout, skip }, async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  writeFileSync(path, JSON.stringify(withSocket(folder, withKernel('nft', { services: { one: guarded(9) } }))));
  const child = spawnDaemon(t, path);
  await until(
    () => child.said.includes('ready'),
    () => child.said,
  );
  const wait = (ms: number) => {
    const end = performance.now() + ms;
    return until(() => performance.now() > end);
  };
  await signalNft(child.pid, 'SIGSTOP');
  await wait(2 * daemonBounds.kernelBanCountMs); // it has been sent a command
  child.kill('SIGSTOP');
  await signalNft(child.pid, 'SIGCONT');
  await wait(daemonBounds.nftSilentMs);
  child.kill('SIGCONT');
  await wait(daemonBounds.kernelBanCountMs);
  const { kernel_bans } = JSON.parse(await send(folder, 'GET', '/stats'));
  assert.equal(kernel_bans.mechanism, 'nft');
  assert.doesNotMatch(child.said, /has not responded/);
});

/** Runs a command in a separate network. */
const alone = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

test('another program cannot remove the table', { timeout, skip }, async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  writeFileSync(path, JSON.stringify(withSocket(folder, withKernel('nft', { services: { one: guarded(9) } }))));
  const child = spawnDaemon(t, path, {}, alone);
  await until(
    () => child.said.includes('ready'),
    () => child.said,
  );
  await send(folder, 'POST', '/ban', JSON.stringify({ ip: client }));
  const inside = (...command: string[]) =>
    execFileSync('nsenter', [`--net=/proc/${child.pid}/ns/net`, ...command], { encoding: 'utf8' });
  const listed = () => inside('nft', 'list', 'ruleset');
  await until(() => listed().includes(client));
  inside('nft', 'flush', 'ruleset');
  assert.ok(listed().includes(client));
  const name = /table inet (tcp_guard_\S+)/.exec(listed())?.[1] ?? '';
  assert.throws(() => inside('nft', 'delete', 'table', 'inet', name), /Operation not permitted/);
  assert.equal((await healthOf(folder)).status, 'ok');
});

test('keeps no history of commands', { timeout, skip }, async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  writeFileSync(path, JSON.stringify(withSocket(folder, withKernel('nft', { services: { one: guarded(9) } }))));
  const child = spawnDaemon(t, path, { HOME: folder });
  await until(
    () => child.said.includes('ready'),
    () => child.said,
  );
  child.kill('SIGTERM');
  await until(() => child.hasEnded);
  assert.ok(!readdirSync(folder).includes('.nft.history'));
});

test('two daemons with the same process id each have a table', { timeout, skip }, async (t) => {
  const folders = [temporaryFolder(), temporaryFolder()];
  const mechanismsOf = folders.map(async (folder) => {
    const path = join(folder, 'tcp-guard.yaml');
    writeFileSync(path, JSON.stringify(withSocket(folder, withKernel('nft', { services: { one: guarded(9) } }))));
    const child = spawnDaemon(t, path, {}, ['unshare', '--pid', '--fork', '--kill-child']);
    await until(
      () => child.said.includes('ready'),
      () => child.said,
    );
    const { kernel_bans } = JSON.parse(await send(folder, 'GET', '/stats'));
    return kernel_bans.mechanism;
  });
  assert.deepEqual(await Promise.all(mechanismsOf), ['nft', 'nft']);
});

test('a ban of a year is enforced, with the durations that nft takes', { timeout, skip }, async (t) => {
  const { port } = await upstream(t, echo);
  const started = await start(t, withKernel('nft', { services: { one: guarded(port) } }));
  const durationMs = daemonBounds.banMs;
  for (const ip of [client, another]) await started.daemon.bans.add({ ip, reason: 'test', origin: 'api', durationMs });
  await started.daemon.bans.add({ ip: another, reason: 'test', origin: 'api', durationMs: null });
  assert.equal(await refusalOf(started, client), 'ban');
  assert.equal(await refusalOf(started, another), 'ban');
  assert.equal(started.daemon.kernelBans().mechanism, 'nft');
});
