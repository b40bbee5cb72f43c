/**
 * Installs the Lua modules of a release with LuaRocks, and runs its tests with Test::Nginx. No package registry has the
 * tool opm, so this test checks the rules of opm itself.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { lua } from '../../packaging/release/lua.ts';
import { packageRoot, packageVersion } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { images } from '../../scripts/steps/test-images.ts';
import { docker, skip } from '../support/guardcli.ts';
import { sandboxImage } from '../support/sandbox-image.ts';

/** Version of the release. It differs from that of this repository, so that a wrong version is detected. */
const version = '0.7.3';
const folder = scratchFolder('guard-lua-release-');
const mirror = join(folder, 'lua-resty-guard');
const { signal } = new AbortController();
const read = (name: string): string => readFileSync(join(mirror, name), 'utf8');
let files: readonly string[] = [];

before(async () => {
  await lua.make({ version, folder, signal, onText: () => {} });
  files = (await command('git', ['ls-files'], { cwd: mirror })).trim().split('\n');
});

test('each module requires modules of the repository by their new name', () => {
  const modules = files.filter((name) => name.startsWith('lib/resty/'));
  assert.ok(modules.length > 50);
  for (const [, name = ''] of modules.flatMap((file) => [
    ...read(file).matchAll(/\brequire\("((?:resty\.)?guard[^"]*)"/g),
  ])) {
    const path = `lib/${name.replaceAll('.', '/')}`;
    assert.ok(existsSync(join(mirror, `${path}.lua`)) || existsSync(join(mirror, path, 'init.lua')), name);
    assert.match(name, /^resty\./);
  }
});

test('the module has the version of the release, and of this repository here', () => {
  const versionIn = (text: string) => /\b_VERSION\s*=\s*"([^"]*)"/.exec(text)?.[1];
  assert.equal(versionIn(read('lib/resty/guard/init.lua')), version);
  assert.equal(versionIn(readFileSync(join(packageRoot, 'module/lua/guard/init.lua'), 'utf8')), packageVersion());
});

test('dist.ini has what opm requires', () => {
  const keys = Object.fromEntries(
    [...read('dist.ini').matchAll(/^(\w+) = (.*)$/gm)].map(([, key, value]) => [key, value]),
  );
  for (const key of ['name', 'abstract', 'author', 'is_original', 'license', 'repo_link']) assert.ok(keys[key], key);
  assert.ok(files.includes(keys.main_module ?? ''), keys.main_module);
  assert.ok(files.includes('README.md'));
});

const script = `
cp -R /mirror /tmp/source
cd /tmp/source
luarocks make --lua-version 5.1 --deps-mode none --pack-binary-rock *.rockspec
mkdir /tmp/server
mv *.rock /tmp/server
luarocks-admin make-manifest --lua-version 5.1 /tmp/server
luarocks install --lua-version 5.1 --deps-mode none --only-server /tmp/server --tree /tmp/tree lua-resty-guard
export TEST_NGINX_BINARY=/usr/sbin/nginx
modules=/usr/lib/nginx/modules
export TEST_NGINX_LOAD_MODULES="$modules/ndk_http_module.so $modules/ngx_http_lua_module.so"
for lib in /tmp/source/lib /tmp/tree/share/lua/5.1; do TEST_NGINX_LIB=$lib prove t; done
`;

test('LuaRocks installs it, and Test::Nginx passes with the repository and with the installed files', {
  skip,
}, async () => {
  const { image } = await sandboxImage(images.resty);
  const mount = ['-v', `${mirror}:/mirror:ro`];
  const output = await docker('run', '--rm', '--network', 'none', ...mount, image, 'sh', '-euc', script);
  assert.match(output, /lua-resty-guard 0\.7\.3-1 is now installed in \/tmp\/tree/);
  assert.equal([...output.matchAll(/^Result: PASS$/gm)].length, 2, output);
});
