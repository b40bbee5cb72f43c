import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { packageVersion } from '../../platform/assets.ts';
import type { DoctorResult } from '../commands/doctor.ts';
import type { Context } from '../program/context.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import { checkClients } from './clients.ts';

/** Returns the environment of a machine without programs and without a container runtime. */
function bare(): Record<string, string> {
  const folder = scratch();
  return { HOME: folder, XDG_CACHE_HOME: folder, PATH: folder, DOCKER_HOST: `unix://${folder}/docker.sock` };
}

async function listening<S extends Server>(t: TestContext, server: S, where: number | string): Promise<S> {
  t.after(() => server.close());
  await once(server.listen(where), 'listening');
  return server;
}

/** Returns the labels of the filter in a request for a list. */
function requestedLabels(url: string): Record<string, string> {
  const { label } = JSON.parse(new URL(url, 'http://x').searchParams.get('filters') ?? '{}') as { label: string[] };
  return Object.fromEntries(label.map((text) => text.split('=')));
}

/** Starts a fake container runtime with the API that the checks call. `images`: true when it has every image. */
async function withRuntime(
  t: TestContext,
  env: Record<string, string>,
  images: boolean,
  containers: readonly object[] = [],
) {
  const server = createHttpServer(({ url = '' }, response) => {
    const found = /\/version$/.test(url)
      ? { Arch: 'amd64', Version: '28.1.0' }
      : /\/containers\/json/.test(url)
        ? containers.map((one) => ({ ...one, Labels: requestedLabels(url) }))
        : images
          ? { Id: 'x' }
          : undefined;
    response
      .writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(found ?? { message: 'no such image' }));
  });
  await listening(t, server, join(env.HOME ?? '', 'docker.sock'));
  const tool = join(env.HOME ?? '', 'docker-compose');
  writeFileSync(tool, '#!/bin/sh\necho 2.40.3\n');
  chmodSync(tool, 0o755);
}

async function rows(env: Record<string, string>) {
  const { status, stdout } = await runCaptured(['doctor', '--json'], { env });
  const { checks } = JSON.parse(stdout) as DoctorResult;
  return { status, of: (name: string) => checks.find((row) => row.name === name), checks };
}

describe('guardcli doctor', () => {
  it('exits 1 without a container runtime and a compose tool, with what to do about each', async () => {
    const { status, of, checks } = await rows(bare());
    assert.equal(status, 1);
    for (const name of ['container runtime', 'compose tool']) assert.equal(of(name)?.status, 'missing', name);
    for (const { status: found, fix } of checks) assert.equal(fix === undefined, found === 'ok');
    assert.match(of('compose tool')?.detail ?? '', /docker-compose: it is not on this machine; podman-compose/);
    for (const name of ['guardcli', 'Node', 'pattern engine', 'cache folder'])
      assert.equal(of(name)?.status, 'ok', name);
  });
  it('exits 1 without a writable cache, which sandbox and dashboard need', async (t: TestContext) => {
    const env = bare();
    await withRuntime(t, env, true);
    const { status, of } = await rows({ ...env, XDG_CACHE_HOME: '/dev/null' });
    const { status: found, for: needed } = of('cache folder') ?? {};
    assert.deepEqual([status, found, needed], [1, 'missing', 'sandbox, dashboard, faster starts']);
  });
  it('exits 0 where everything is there', async (t: TestContext) => {
    const env = bare();
    await withRuntime(t, env, true);
    const { status, of } = await rows(env);
    assert.equal(status, 0);
    assert.match(of('container runtime')?.detail ?? '', /docker\.sock, version 28\.1\.0, amd64$/);
    assert.equal(of('compose tool')?.detail, 'docker-compose 2.40.3');
    assert.equal(of('base images')?.detail, 'all are there');
  });
  it('warns about images that cannot be had', async (t: TestContext) => {
    const env = bare();
    await withRuntime(t, env, false);
    assert.match((await rows(env)).of('base images')?.detail ?? '', /^4 are pulled at their first use$/);
    mkdirSync(join(env.HOME ?? '', 'request-guard'), { recursive: true });
    writeFileSync(join(env.HOME ?? '', 'request-guard/registry.json'), '{"answers":false}');
    const { status, of } = await rows(env);
    assert.deepEqual([status, of('base images')?.status], [0, 'warning']);
    assert.match(of('base images')?.fix ?? '', /^export GUARD_BASE_PREFIX=/);
    assert.doesNotMatch(of('base images')?.detail ?? '', /traefik/);
  });
  it('warns about a port of the dashboard that another program uses, but not while the dashboard runs', async (t: TestContext) => {
    const env = bare();
    const server = await listening(t, createServer(), 0);
    const { port } = server.address() as AddressInfo;
    const taken = { ...env, GUARD_GRAFANA_PORT: String(port) };
    const row = (await rows(taken)).of('dashboard ports');
    assert.deepEqual([row?.status, row?.detail.startsWith(`port ${port} is in use`)], ['warning', true]);
    await withRuntime(t, env, true, [{ Id: 'x', Names: ['/loki'], Ports: [] }]);
    assert.match((await rows(taken)).of('dashboard ports')?.detail ?? '', /the dashboard runs$/);
  });
  it('prints a table of printable characters', async () => {
    const { stdout } = await runCaptured(['doctor'], { env: { ...bare(), DOCKER_HOST: 'unix:///\x1b[31m' } });
    assert.match(stdout, /^ {2}ok +guardcli +for every command\n/);
    assert.match(
      stdout,
      /\n {2}missing +compose tool +for dashboard\n {4}no compose tool was found: .*\n {4}fix: install /,
    );
    assert.match(stdout, /\n {4}no container runtime responds: unix:\/\/\/\\x1b\[31m /);
    assert.doesNotMatch(stdout, /[^\x20-\x7e\n]/);
  });
});

describe('guardcli doctor of access logs', () => {
  const line = (address: string): string =>
    `${address} - - [30/Nov/2026:05:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "-"\n`;
  const edges = Array.from({ length: 9 }, (_, index) => line(`104.16.0.${index}`)).join('');
  const inFolder = (files: Record<string, string>) => {
    const cwd = scratch();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    return checkClients({ cwd, env: {} } as Context, [join(cwd, '*.log')]);
  };
  it('warns when most clients of the logs are those of a CDN', async () => {
    await assert.rejects(inFolder({ 'a.log': line('192.0.2.1'), 'b.log': edges }), {
      message: '9 of the 10 most frequent clients are addresses of Cloudflare, in 2 access logs',
      hint: 'add trustedProxies: [cloudflare] to the policy, or log the address of the client',
    });
  });
  it('is silent with that CDN as a trusted proxy, with other clients, and with other files', async () => {
    const policy = JSON.stringify({ trustedProxies: ['cloudflare'] });
    assert.equal(await inFolder({ 'a.log': edges, 'guard.json': policy }), 'no CDN in 1 access log');
    assert.equal(await inFolder({ 'a.log': `${line('192.0.2.1')}\x00{"` }), 'no CDN in 1 access log');
    assert.equal(await inFolder({}), 'no CDN in 0 access logs');
  });
  it('names the number of logs that cannot be read', async () => {
    const folder = join(scratch(), 'x.log');
    mkdirSync(folder);
    const found = await checkClients({ cwd: folder, env: {} } as Context, [folder]);
    assert.equal(found, 'no CDN in 0 access logs; 1 cannot be read by this user');
  });
});

describe('guardcli doctor of a Traefik on the PATH', () => {
  for (const [codename, status, detail] of [
    ['cheddar', 'ok', /^3\.7\.10, which needs the sources of the plugin$/],
    [`request-guard-${packageVersion()}`, 'ok', /^3\.7\.10 with the guard \S+ compiled in$/],
    ['request-guard-0.0.1', 'warning', /^3\.7\.10 with the guard 0\.0\.1 compiled in, and guardcli is \d/],
  ] as const)
    it(`finds the guard behind the codename ${codename}`, async () => {
      const env = bare();
      assert.match((await rows(env)).of('Traefik')?.detail ?? '', /^not on the PATH/);
      const program = join(env.PATH ?? '', 'traefik');
      writeFileSync(program, `#!/bin/sh\necho 'Version:      3.7.10'; echo 'Codename:     ${codename}'\n`);
      chmodSync(program, 0o755);
      const row = (await rows(env)).of('Traefik');
      assert.equal(row?.status, status);
      assert.match(row?.detail ?? '', detail);
    });
});

describe('guardcli doctor of a Caddy on the PATH', () => {
  const guard = 'http.handlers.file_server\nhttp.handlers.guard\n';
  for (const [title, modules, owner, status, detail] of [
    ['without the guard', 'http.handlers.file_server\n', '', 'ok', /^v2\.11\.9 without the guard: /],
    ['with the guard', guard, '', 'ok', /^v2\.11\.9 with the guard in it$/],
    [
      'with the guard, in the place of a package',
      guard,
      'caddy: FILE',
      'warning',
      /apt upgrade replaces .*caddy by a Caddy without/,
    ],
    [
      'that diverts the file of a package',
      guard,
      'diversion by caddy to: FILE',
      'ok',
      /^v2\.11\.9 with the guard in it$/,
    ],
  ] as const)
    it(title, async () => {
      const env = bare();
      assert.match((await rows(env)).of('Caddy')?.detail ?? '', /^not on the PATH/);
      const write = (name: string, text: string): void => {
        writeFileSync(join(env.PATH ?? '', name), `#!/bin/sh\n${text}\n`);
        chmodSync(join(env.PATH ?? '', name), 0o755);
      };
      write('caddy', `[ "$1" = version ] && echo 'v2.11.9 h1:x' || printf '${modules.replaceAll('\n', '\\n')}'`);
      const file = realpathSync(join(env.PATH ?? '', 'caddy'));
      write('sh', 'exec /bin/sh "$@"');
      write('realpath', `echo ${file}`);
      write('dpkg', owner === '' ? 'exit 1' : `echo '${owner.replace('FILE', file)}'`);
      const row = (await rows(env)).of('Caddy');
      assert.match(row?.detail ?? '', detail);
      assert.equal(row?.status, status);
    });
});
