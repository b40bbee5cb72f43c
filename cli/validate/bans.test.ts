import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { rangeLines } from '../../contract/policy/ban-list.ts';
import { banListFile } from '../../engine/ban-list-file.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';

const mapped = 0xffffn << 32n;
const value = mapped | 0xc0000201n; // 192.0.2.1
const written = Math.floor(Date.now() / 1000);
const good = banListFile([rangeLines({ start: value, end: value, until: written + 3600 })], written);

function folderWith(bans: Buffer | undefined): string {
  const cwd = scratch({ 'guard.json': JSON.stringify({ methods: ['GET'], banList: { file: 'bans' } }) });
  if (bans) writeFileSync(join(cwd, 'bans'), bans, { mode: 0o644 });
  chmodSync(cwd, 0o755);
  return cwd;
}

describe('guardcli validate with a ban list', () => {
  const stdoutOf = async (bans: Buffer | undefined) =>
    (await runCaptured(['validate'], { cwd: folderWith(bans) })).stdout;
  it('accepts a file that the guards use', async () => assert.doesNotMatch(await stdoutOf(good), /ban list/));
  it('warns of an absent file', async () =>
    assert.match(
      await stdoutOf(undefined),
      /warning: guard\.json:1:\d+: banList\.file: .* cannot be used here: no such file or directory$/m,
    ));
  for (const [name, mode] of [
    ['bans', 0o640],
    ['.', 0o750],
  ] as const)
    it(`warns that other users cannot read ${name === '.' ? 'the folder' : 'the file'}`, async () => {
      const cwd = folderWith(good);
      chmodSync(join(cwd, name), mode);
      const { stdout } = await runCaptured(['validate'], { cwd });
      const place = join(cwd, name).replace(/\.$/, '');
      assert.match(
        stdout,
        new RegExp(`cannot be used here: other users may not read .*, whose mode is ${mode.toString(8)}`),
      );
      assert.ok(stdout.includes(place), stdout);
    });
  it('warns of a damaged file', async () =>
    assert.match(await stdoutOf(good.subarray(1)), /cannot be used here: it has a wrong size/));
});

describe('a ban list that cannot be read', () => {
  const unusable: Readonly<Record<string, readonly [make: (file: string) => void, reason: RegExp]>> = {
    'a gigabyte': [
      (file) => {
        writeFileSync(file, '');
        truncateSync(file, 2 ** 30);
      },
      /it has 1073741824 bytes, and at most \d+ are read/,
    ],
    'a pipe': [(file) => execFileSync('mkfifo', [file]), /not a regular file/],
    'a folder': [(file) => mkdirSync(file), /not a regular file/],
    'a link to a device': [(file) => symlinkSync('/dev/zero', file), /not a regular file/],
    'a link to itself': [(file) => symlinkSync(file, file), /too many symbolic links/],
  };
  for (const [name, [make, reason]] of Object.entries(unusable))
    it(`is named by validate and test: ${name}`, async () => {
      const cwd = folderWith(undefined);
      make(join(cwd, 'bans'));
      assert.match((await runCaptured(['validate'], { cwd })).stdout, reason);
      const { status, stderr } = await runCaptured(['test', '/', '--client', '::1', '--ban-list', 'bans'], { cwd });
      assert.equal(status, 2);
      assert.match(stderr, reason);
    });
});

describe('guardcli test with a ban list', () => {
  const run = (bans: Buffer, ...argv: string[]) =>
    runCaptured(['test', '--json', '--ban-list', 'bans', ...argv], { cwd: folderWith(bans) });
  const reasonOf = async (...argv: string[]) => JSON.parse((await run(good, ...argv)).stdout).reason;
  it('blocks its clients, whatever the method is', async () => {
    assert.equal(await reasonOf('--client', '192.0.2.1', '-X', 'PUT'), 'banned');
    assert.equal(await reasonOf('--ip', '192.0.2.2'), 'no_match');
    assert.equal(await reasonOf('--ip', '192.0.2.1', '--proxy', 'caddy'), 'banned');
  });
  it('refuses a damaged file', async () => {
    const { status, stderr } = await run(good.subarray(1));
    assert.equal(status, 2);
    assert.match(stderr, /the ban list bans cannot be used: it has a wrong size/);
  });
  it('refuses two clients', async () =>
    assert.match((await run(good, '--ip', '::1', '--client', '::1')).stderr, /the client is given twice/));
});
