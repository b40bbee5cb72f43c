/** An nft that cannot be restarted at first, and one that ends while it writes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../../platform/until.ts';
import { guarded, temporaryFolder } from '../../testing/daemon.ts';
import { signalNft, skips, timeout, withKernel } from '../../testing/kernel-bans.ts';
import { type Spawned, send, spawnDaemon, withSocket } from '../../testing/spawned.ts';

const skip = skips.nft;
const pathOfNft = (): string => execFileSync('sh', ['-c', 'command -v nft'], { encoding: 'utf8' }).trim();

interface Running {
  readonly child: Spawned;
  /** The nft that it finds. */
  readonly nft: string;
  readonly isEnforced: () => Promise<boolean>;
}

/** A daemon that finds no other nft than `place` makes. */
async function daemonWith(t: TestContext, place: (nft: string) => void): Promise<Running> {
  const folder = temporaryFolder();
  const programs = join(folder, 'bin');
  const nft = join(programs, 'nft');
  mkdirSync(programs);
  place(nft);
  const path = join(folder, 'tcp-guard.yaml');
  writeFileSync(path, JSON.stringify(withSocket(folder, withKernel('nft', { services: { one: guarded(9) } }))));
  const child = spawnDaemon(t, path, { PATH: `${dirname(process.execPath)}:${programs}` });
  await until(
    () => child.said.includes('ready'),
    () => child.said,
  );
  const isEnforced = async () => JSON.parse(await send(folder, 'GET', '/stats')).kernel_bans.mechanism === 'nft';
  return { child, nft, isEnforced };
}

test('nft is restarted when it is installed again', { timeout, skip }, async (t) => {
  const target = pathOfNft();
  const { child, nft, isEnforced } = await daemonWith(t, (path) => symlinkSync(target, path));
  assert.ok(await isEnforced());
  rmSync(nft);
  await signalNft(child.pid, 'SIGKILL');
  await until(() => child.said.includes('cannot run nft: spawn nft ENOENT: only the daemon'));
  symlinkSync(target, nft);
  await until(isEnforced);
});

test('nft is restarted when descriptors are free again', { timeout, skip }, async (t) => {
  const { child, isEnforced } = await daemonWith(t, (path) => symlinkSync(pathOfNft(), path));
  const allow = (descriptors: number) => execFileSync('prlimit', ['--pid', `${child.pid}`, `--nofile=${descriptors}:`]);
  allow(5);
  await signalNft(child.pid, 'SIGKILL');
  await until(() => child.said.includes('cannot run nft: no descriptor is free'));
  allow(500);
  await until(isEnforced);
});

test('an nft that ends within a line is restarted', { timeout, skip }, async (t) => {
  const script = '#!/bin/sh\ncase "$1" in -j) printf \'{"nftables": [\'; exit 1;; esac\n';
  const { child, nft, isEnforced } = await daemonWith(t, (path) => {
    writeFileSync(path, script);
    chmodSync(path, 0o755);
  });
  await until(
    () => child.said.includes('nft ended (status 1): only the daemon') || child.hasEnded,
    () => child.said,
  );
  rmSync(nft);
  symlinkSync(pathOfNft(), nft);
  await until(isEnforced);
});
