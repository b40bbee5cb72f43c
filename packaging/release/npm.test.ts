import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import '../../cli/testing/snapshots.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { installedPackages } from '../bundle/licenses.ts';
import { copyPackageFiles } from '../bundle/package-files.ts';
import { packNpm } from './npm.ts';

/** Largest size of the package, which each run of a user's CI downloads. */
const mostBytes = 5 * 1024 * 1024;

const folder = scratchFolder('guard-packed-');
let archive = '';
before(async () => {
  archive = await packNpm(folder);
  execFileSync('tar', ['-xzf', archive], { cwd: folder });
});

/** Returns the paths in the package. The name of each chunk is replaced by `*`, because it has a hash. */
function files(): string[] {
  const paths = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n');
  const names = paths.map((path) => path.replace(/^package\//, '').replace(/(chunks\/).*?(\.js)/, '$1*$2'));
  return [...new Set(names)].sort();
}

describe('the npm package', () => {
  it('has these files', (t: TestContext) => t.assert.snapshot(files().join('\n')));

  it('has the files that the Debian package gets without npm', () => {
    copyPackageFiles(join(folder, 'copied'));
    const copied = readdirSync(join(folder, 'copied'), { recursive: true, withFileTypes: true });
    const filePaths = copied.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const paths = filePaths.map((path) => relative(join(folder, 'copied'), path));
    const others = files().filter((path) => !path.startsWith('dist/') && path !== 'package.json');
    assert.deepEqual(paths.sort(), others);
  });

  it('has at most 5 MB', () => {
    const { size } = statSync(archive);
    assert.ok(size <= mostBytes, `${size} bytes`);
  });

  it('has the licenses of the packages in its bundle, which its bill of materials lists', async () => {
    const text = readFileSync(join(folder, 'package/dist/bin/LICENSES.txt'), 'utf8');
    const sections = text.split(`\n${'-'.repeat(80)}\n\n`);
    const listed = new Set((await installedPackages()).map(({ name, version }) => `${name} ${version}`));
    const titles = sections.map((section) => /^\S+ \S+/.exec(section)?.[0] ?? '');
    assert.deepEqual(
      titles.filter((title) => !listed.has(title)),
      [],
    );
    assert.ok(sections.length > 50, String(sections.length));
    const isShort = (section: string): boolean => section.trim().split('\n').length < 3;
    // The package yoga-layout states its license only in package.json.
    assert.deepEqual(
      sections.filter(isShort).map((section) => section.split(' ')[0]),
      ['yoga-layout'],
    );
  });

  it('installs nothing that only tests need', () => {
    const { dependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(folder, 'package/package.json'), 'utf8'),
    );
    for (const name of ['axe-core', 'playwright-core']) {
      assert.equal(dependencies[name], undefined);
      assert.deepEqual(peerDependenciesMeta[name], { optional: true });
    }
  });
});

describe('the npm package on an older Node', () => {
  it('refuses an older Node when npm installs it', () => {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
    const statusOf = (version: string) => {
      const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
      const node = `node() { '${process.execPath}' --import "${old}" "$@"; }`;
      return spawnSync('sh', ['-c', `${node}\n${scripts.preinstall}`], { encoding: 'utf8' });
    };
    const { status, stderr } = statusOf('20.19.0');
    assert.equal(status, 1);
    assert.match(stderr, /^request-guard needs Node 26 or newer, and this is .*https:\/\/nodejs\.org$/m);
    assert.deepEqual([statusOf('26.0.0').status, statusOf('100.0.0').status], [0, 0]);
  });

  for (const [program, status] of Object.entries({ guardcli: 3, 'tcp-guard': 1 }))
    it(`says what to do on an older Node: ${program}`, () => {
      const old = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.19.0' })";
      const args = ['--import', old, join(folder, `package/dist/bin/${program}.js`), '--help'];
      const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.match(
        run.stderr,
        new RegExp(`: ${program} needs Node 26 or newer, and this is .* Install it: https://nodejs.org`),
      );
      assert.equal(run.status, status);
    });
});
