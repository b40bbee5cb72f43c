/** `guardcli build` with the real Go: it makes working programs, and leaves no file when it fails. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { artefacts } from '../../artefacts/artefacts.ts';
import { findLocalGo } from '../../artefacts/go.ts';
import type { BuildReport } from '../../cli/build/build.ts';
import { packageRoot, packageVersion } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { run, start } from '../support/guardcli.ts';

const skip = (await findLocalGo()) ? false : 'there is no Go to compile with';
const inFolder = (folder: string): Record<string, string> => ({ TMPDIR: folder });

async function built(t: TestContext, ...args: string[]): Promise<BuildReport> {
  const [temporary, folder] = [scratchFolder('guard-tmp-'), scratchFolder('guard-built-')];
  const argv = ['build', ...args, '--output', join(folder, 'program'), '--json'];
  const { status, stdout, stderr } = await run(t, argv, inFolder(temporary));
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(temporary), []);
  return JSON.parse(stdout) as BuildReport;
}

test('the commands of the page make a Traefik with its version, the licenses and the version of the guard', {
  skip,
}, async () => {
  const folder = scratchFolder('guard-built-');
  // Not every npm registry has the packages of the web interface.
  const lines = blockWith('docs/cli.md', 'sh', 'guardcli build').replace('build traefik', '$& --without-webui');
  const env = { PATH: `${packageRoot}${delimiter}${process.env.PATH}` };
  const printed = await command('sh', ['-e', '-c', lines], { cwd: folder, env });
  const [pinned = ''] = Object.values(artefacts.traefik.pins);
  assert.match(printed, new RegExp(`^Version: +${pinned.slice(1)}$`, 'm'));
  const modules = execFileSync('go', ['version', '-m', join(folder, 'traefik')], { encoding: 'utf8' });
  assert.ok(modules.includes(`github.com/request-guard/guard\tv${packageVersion()}`), modules);
  assert.ok(modules.includes(`github.com/traefik/traefik/v3\t${pinned}`), modules);
  const licenses = readFileSync(join(folder, 'traefik.LICENSES.txt'), 'utf8');
  for (const name of ['Traefik Labs', 'The Request Guard authors']) assert.ok(licenses.includes(name), licenses);
});

test('two builds in different folders make the same bytes, and Caddy has the guard', { skip }, async (t) => {
  const [first, second] = [await built(t, 'caddy'), await built(t, 'caddy')];
  assert.notEqual(first.output, second.output);
  assert.equal(first.sha256, second.sha256);
  const modules = execFileSync(first.output ?? '', ['list-modules'], { encoding: 'utf8' });
  assert.match(modules, /^http\.handlers\.guard$/m);
});

for (const [what, args, code] of [
  ['a version that does not exist', ['traefik', '--without-webui', '--version', '3.99.0'], 'unknown_version'],
  ['a module path that does not resolve', ['caddy', '--with', 'example.invalid/x@v1.0.0'], 'bad_module'],
] as const)
  test(`${what} is refused in the words of Go, and leaves nothing`, { skip }, async (t) => {
    const [temporary, folder] = [scratchFolder('guard-tmp-'), scratchFolder('guard-built-')];
    const argv = ['build', ...args, '--output', join(folder, 'x'), '--json'];
    const { status, stderr } = await run(t, argv, inFolder(temporary));
    assert.equal(status, 3);
    const { error } = JSON.parse(stderr) as { error: { code: string; output: string } };
    assert.equal(error.code, code, stderr);
    assert.match(error.output, /3\.99\.0|example\.invalid/);
    assert.deepEqual([readdirSync(temporary), readdirSync(folder)], [[], []]);
  });

test('Ctrl-C while Go compiles leaves nothing', { skip }, async (t) => {
  const [temporary, folder] = [scratchFolder('guard-tmp-'), scratchFolder('guard-built-')];
  const output = join(folder, 't');
  const running = start(t, ['build', 'traefik', '--without-webui', '-o', output], inFolder(temporary));
  await running.says(/\[4\/4\] compiling/);
  running.child.kill('SIGINT');
  assert.equal(await running.ended, 130);
  assert.deepEqual([readdirSync(temporary), existsSync(output)], [[], false]);
});
