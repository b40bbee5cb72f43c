import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { build, machine, setVariables } from '../testing/fake-go.ts';
import { scratch } from '../testing/scratch.ts';

async function refused(cwd: string, ...argv: string[]): Promise<{ code: string; message: string; hint: string }> {
  const { status, stdout, stderr } = await build(cwd, ...argv, '--json');
  assert.notEqual(status, 0, stdout);
  return JSON.parse(stdout || stderr).error;
}

const lean = ['traefik', '--without-webui'];

const unknown = 'echo "go: example.com/m@v3.99.0: invalid version: unknown revision v3.99.0" >&2; exit 1';

describe('guardcli build refuses', () => {
  it('a version that does not exist', async (t) => {
    const { cwd, temporary } = machine(t, { download: unknown });
    const { code, message, hint } = await refused(cwd, ...lean, '--version', '3.99.0');
    assert.deepEqual([code, message], ['unknown_version', 'Traefik v3.99.0 cannot be downloaded']);
    assert.match(hint, /go list -m -versions github\.com\/traefik\/traefik\/v3/);
    assert.deepEqual(readdirSync(temporary), []);
  });

  for (const version of ['2.11.0', '4.0.0', 'latest', '3.7', '-x'])
    it(`the version ${version} of Traefik before it downloads anything`, async (t) => {
      const { cwd } = machine(t, { download: 'exit 9' });
      assert.equal((await refused(cwd, ...lean, `--version=${version}`)).code, 'bad_version');
    });

  it('a module path that does not resolve', async (t) => {
    const { cwd } = machine(t, { get: 'echo "go: module example.invalid/x: not found" >&2; exit 1' });
    const { code, message, hint } = await refused(cwd, 'caddy', '--with', 'example.invalid/x@v1.0.0');
    assert.deepEqual([code, message], ['bad_module', 'example.invalid/x@v1.0.0 cannot be added']);
    assert.match(hint, /check the module path/);
  });

  it('a module without a version, and one that would be an option of Go', async (t) => {
    const { cwd } = machine(t);
    for (const word of ['example.com/x', '-x@v1', 'a b@v1'])
      assert.equal((await refused(cwd, 'caddy', `--with=${word}`)).code, 'bad_module');
  });

  it('that Traefik takes no further modules', async (t) => {
    const { cwd } = machine(t);
    assert.equal((await refused(cwd, ...lean, '--with', 'example.com/x@v1.0.0')).code, 'no_modules');
  });
});

describe('guardcli build reports', () => {
  it('a full disk, whatever program finds it', async (t) => {
    for (const step of ['download', 'compile'] as const) {
      const { cwd, temporary } = machine(t, { [step]: 'echo "write x: no space left on device" >&2; exit 1' });
      const { code, hint } = await refused(cwd, ...lean);
      assert.equal(code, 'disk_full');
      assert.match(hint, /TMPDIR/);
      assert.deepEqual([readdirSync(temporary), readdirSync(cwd)], [[], []]);
    }
  });

  it('a proxy that does not compile, with the last lines of the compiler', async (t) => {
    const { cwd } = machine(t, { compile: 'echo "undefined: stdlib" >&2; exit 1' });
    const { stderr, status } = await build(cwd, ...lean, '--version', '3.0.0');
    assert.equal(status, 3);
    assert.match(stderr, /Traefik v3\.0\.0 does not compile with the guard\.\n {2}\| undefined: stdlib/);
  });

  it('a module of the proxy that no registry has', async (t) => {
    const { cwd } = machine(t, { compile: 'echo "x.go:1: a@v1: reading https://proxy.example/a: 403" >&2; exit 1' });
    const { code, hint } = await refused(cwd, ...lean);
    assert.deepEqual([code, hint], ['not_downloaded', 'check the network and GOPROXY']);
  });

  it('a web interface that cannot be built before it compiles, and goes on without it', async (t) => {
    const npm = scratch({ npm: '#!/bin/sh\necho "E404 $*" >&2\nexit 1\n' });
    chmodSync(join(npm, 'npm'), 0o755);
    const { cwd, temporary } = machine(t, { compile: 'ls > "$name"' });
    // guardcli searches the folder of Node before PATH. If that folder has a real npm, its registry is unreachable.
    const unreachable = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };
    setVariables(t, { ...unreachable, PATH: `${npm}${delimiter}${process.env.PATH}` });
    const { status, stderr } = await build(cwd, 'traefik');
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^warning: the web interface of Traefik cannot be built/m);
    assert.doesNotMatch(readFileSync(join(cwd, 'traefik'), 'utf8'), /webui|static|yarn/);
    assert.equal(JSON.parse((await build(cwd, 'traefik', '--json')).stdout).webInterface, false);
    assert.deepEqual(readdirSync(temporary), []);
  });
});

describe('guardcli build refuses before it builds', () => {
  it('a machine with neither Go nor a container runtime', async (t) => {
    const { cwd } = machine(t);
    setVariables(t, { PATH: scratch() });
    assert.equal((await refused(cwd, ...lean)).code, 'no_compiler');
  });

  it('a place that cannot be written, before it builds', async (t) => {
    const { cwd } = machine(t, { download: 'exit 9' });
    mkdirSync(join(cwd, 'traefik'));
    for (const path of ['traefik', 'absent/t'])
      assert.equal((await refused(cwd, ...lean, '-o', path)).code, 'file_unwritable');
  });

  it('options that exclude each other', async (t) => {
    const { cwd } = machine(t);
    const pairs = [
      '--image=x --goos=linux',
      '--image=x --dry-run',
      '--dockerfile --output=x',
      '--dockerfile --dry-run',
    ];
    for (const pair of pairs) assert.equal((await refused(cwd, 'traefik', ...pair.split(' '))).code, 'conflict', pair);
    assert.equal((await refused(cwd, 'caddy', '--without-webui')).code, 'no_webui');
  });
});
