import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageVersion } from '../../platform/assets.ts';
import { baseImage } from '../../sandbox-images/bases.ts';
import { build, machine } from '../testing/fake-go.ts';
import { builtProxies } from './proxies.ts';
import { stepsOf } from './steps.ts';

describe('guardcli build --dry-run', () => {
  it('builds nothing, and prints a script that makes the same files', async (t) => {
    const { cwd, temporary } = machine(t, {
      compile: 'cat *.go go.mod > "$name"; ls >> "$name"; env | grep -E "^GO(OS|ARCH|FLAGS)=" | sort >> "$name"',
    });
    const { stdout, status } = await build(cwd, 'traefik', '--without-webui', '--goarch', 'arm64', '--dry-run');
    assert.deepEqual([status, readdirSync(cwd)], [0, []]);
    execFileSync('sh', [], { input: stdout, stdio: ['pipe', 'ignore', 'inherit'] });
    const texts = (): string[] =>
      ['traefik', 'traefik.LICENSES.txt'].map((name) => readFileSync(join(cwd, name), 'utf8'));
    const printed = texts();
    await build(cwd, 'traefik', '--without-webui', '--goarch', 'arm64');
    assert.deepEqual(printed, texts());
    assert.match(printed[1] ?? '', /^Traefik v3.*license of Traefik.*request-guard \d.*Permission is hereby granted/s);
    assert.match(printed[1] ?? '', /\n-{80}\n\nexample\.com\/dep v1\.2\.3\n\nlicense of Caddy\n/);
    assert.deepEqual(readdirSync(temporary), []);
  });
});

const fromLines = (dockerfile: string): string[] => dockerfile.split('\n').filter((line) => line.startsWith('FROM '));

describe('guardcli build --dockerfile', () => {
  it('has every line of the build, and ends in the published image of the proxy', async (t) => {
    const { cwd } = machine(t);
    for (const proxy of builtProxies) {
      const { stdout } = await build(cwd, proxy.name, '--dockerfile');
      const spec = { proxy, version: proxy.module.pinned, modules: [], guard: packageVersion() };
      const steps = stepsOf({ ...spec, hasWebInterface: proxy.webInterface !== undefined }, '/package');
      for (const line of steps.flatMap(({ lines }) => lines)) assert.ok(stdout.includes(line), line);
      assert.equal(fromLines(stdout).at(-1), `FROM ${baseImage(proxy.image.base)}`);
    }
  });

  it('needs Node for the web interface only', async (t) => {
    const { cwd } = machine(t);
    const stages = async (...argv: string[]) =>
      fromLines((await build(cwd, 'traefik', '--dockerfile', ...argv)).stdout);
    assert.equal((await stages()).filter((line) => line.endsWith(' AS webui')).length, 1);
    assert.equal((await stages('--without-webui')).filter((line) => line.endsWith(' AS webui')).length, 0);
  });

  it('names the image of another version, and further modules', async (t) => {
    const { cwd } = machine(t);
    const { stdout } = await build(
      cwd,
      'caddy',
      '--dockerfile',
      '--version',
      '2.10.2',
      '--with',
      'example.com/x@v1.0.0',
    );
    assert.equal(fromLines(stdout).at(-1), 'FROM docker.io/library/caddy:2.10.2');
    assert.match(stdout, /go get github\.com\/caddyserver\/caddy\/v2@v2\.10\.2 example\.com\/x@v1\.0\.0/);
  });
});
