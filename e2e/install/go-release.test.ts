/** Installs the Go modules of a release with the tools of Caddy and Traefik. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { before, test } from 'node:test';
import { parse } from 'yaml';
import { createProbeSet } from '../../cli/probes/probe-set.ts';
import { failuresText } from '../../cli/probes/report.ts';
import { verdictVectors } from '../../cli/probes/sources/vectors.ts';
import { plain } from '../../cli/program/paint.ts';
import { caddy } from '../../cli/sandbox/targets/caddy.ts';
import { proxies } from '../../cli/targets/table.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { go } from '../../packaging/release/go.ts';
import { packageVersion } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { get } from '../caddy/process.ts';
import { serve } from '../proxies/policies.ts';
import { skip } from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';
import { routeWithGuards, startTraefik, variants } from '../traefik/process.ts';

/** Version of the release. It differs from that of this repository, so that a wrong version is detected. */
const version = '0.7.3';
const xcaddy = 'github.com/caddyserver/xcaddy/cmd/xcaddy@v0.4.5';

const folder = scratchFolder('guard-release-');
const [mirror, proxy] = [join(folder, 'guard'), join(folder, 'proxy')];
let files: readonly string[] = [];
const { signal } = new AbortController();

before(async () => {
  await go.make({ version, folder, signal, onText: () => {} });
  files = (await command('git', ['ls-files'], { cwd: mirror })).trim().split('\n');
});

test('the mirror has what the module proxy and the catalogue require, and no tests', () => {
  for (const name of ['LICENSE', 'README.md', 'go.mod', '.traefik.yml', 'caddy/go.mod', 'caddy/go.sum'])
    assert.ok(files.includes(name), name);
  assert.deepEqual(
    files.filter((name) => /_test\.go$|testdata|^cmd|^lua|^internal|go\.work/.test(name)),
    [],
  );
});

test('no module replaces another, and the handler requires the released version', () => {
  const required = readFileSync(join(mirror, 'caddy/go.mod'), 'utf8');
  assert.match(required, /^\tgithub\.com\/request-guard\/guard v0\.7\.3$/m);
  for (const name of ['go.mod', 'caddy/go.mod']) {
    const text = readFileSync(join(mirror, name), 'utf8');
    assert.doesNotMatch(text, /^\s*replace|v0\.0\.0\s/m);
  }
});

test('pages of the mirror have links that work there', () => {
  for (const page of files.filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(mirror, page), 'utf8');
    assert.doesNotMatch(text, /vX\.Y\.Z/);
    for (const [, target = ''] of text.matchAll(/\]\((\.\.?\/[^)#]*|[\w/]+\.md)/g))
      assert.ok(existsSync(join(mirror, page, '..', target)), `${page}: ${target}`);
  }
});

test('the pages install the same modules', () => {
  const line = 'xcaddy build v2.11.9 --with';
  assert.equal(blockWith('module/README.md', 'sh', line), blockWith('docs/caddy.md', 'sh', line));
  const { experimental } = parse(blockWith('docs/traefik.md', 'yaml', '  plugins:'));
  const { moduleName, version: documented } = experimental.plugins.guard;
  assert.deepEqual([moduleName, documented], ['github.com/request-guard/guard', `v${packageVersion()}`]);
});

/** Builds Caddy with the commands of the page and an empty module cache. */
async function buildCaddy(): Promise<string> {
  const tools = join(folder, 'tools');
  await command('go', ['install', xcaddy], { env: { GOBIN: tools, GOFLAGS: '', GOWORK: 'off' } });
  const remote = (await command('go', ['env', 'GOPROXY'])).trim();
  const site = join(folder, 'caddy-from-xcaddy');
  mkdirSync(site);
  const env = {
    PATH: `${tools}:${process.env.PATH}`,
    ...{ GOMODCACHE: join(folder, 'modules'), GOFLAGS: '-modcacherw', GOWORK: 'off', CGO_ENABLED: '0' },
    GOPROXY: `file://${proxy},${remote}`,
    // The checksum database has only modules that Go's public proxy has served.
    GONOSUMDB: 'github.com/request-guard/*',
  };
  await command('sh', ['-e', '-c', blockWith('docs/caddy.md', 'sh', 'xcaddy build')], { cwd: site, env });
  // The sandbox reuses the image of a program with the same name, so this name must be new.
  const binary = join(site, `caddy-${basename(folder)}`);
  renameSync(join(site, 'caddy'), binary);
  return binary;
}

test('xcaddy builds a Caddy that passes the probes', { skip }, async (t) => {
  const binary = await buildCaddy();
  const built = await command(binary, ['build-info']);
  assert.match(built, /dep\s+github\.com\/request-guard\/guard\/caddy\s+v0\.7\.3\s/);
  assert.match(built, /dep\s+github\.com\/request-guard\/guard\s+v0\.7\.3\s/);
  const modules = (await command(binary, ['list-modules'])).split('\n');
  for (const name of ['http.handlers.guard', 'http.matchers.guard', 'admin.api.guard'])
    assert.ok(modules.includes(name), name);
  const program = { name: 'caddy', path: async () => binary, build: async () => binary };
  const target = proxies.find(({ name }) => name === 'caddy');
  assert.ok(target);
  const sandbox = async () => ({ ...caddy, artefacts: ['runner'] as const, program });
  const policies = [Policy.parse({}), Policy.parse({ methods: ['*'], checkQuery: true, checkBody: true })];
  for (const { setting, send } of await serve(t, { ...target, sandbox }, policies)) {
    const { counts, ...report } = await send(createProbeSet(setting, verdictVectors()));
    assert.equal(counts.failed, 0, failuresText({ counts, ...report }, plain));
    assert.ok(counts.passed > 1000);
    t.diagnostic(JSON.stringify(counts));
  }
});

test('Traefik loads the tagged mirror with the test data of its manifest', async (t) => {
  const backend = await listen(
    t,
    createServer((_, response) => response.end()),
  );
  const { testData, import: name } = parse(readFileSync(join(mirror, '.traefik.yml'), 'utf8'));
  assert.match(readFileSync(join(mirror, 'go.mod'), 'utf8'), /^module github\.com\/request-guard\/guard$/m);
  assert.ok(existsSync(join(mirror, name.replace('github.com/request-guard/guard/', ''))));
  const dynamic = routeWithGuards(`http://127.0.0.1:${backend}`, { guard: testData });
  const { port, output } = await startTraefik(
    t,
    dynamic,
    {},
    {
      binary: variants.plugin.binary,
      // Traefik's plugin catalogue installs the files of a git tag.
      install: (to) =>
        execFileSync('git', [
          '-c',
          'advice.detachedHead=false',
          'clone',
          '--quiet',
          '--branch',
          `v${version}`,
          `file://${mirror}`,
          to,
        ]),
    },
  );
  const isServing = (): Promise<boolean> => get(port, '/').then((status) => status === 200);
  await until(() => isServing().catch(() => false), output);
  for (const path of ['/.env', '/internal/x', '/?file=../../etc/passwd'])
    assert.equal(await get(port, path), 403, path);
});
