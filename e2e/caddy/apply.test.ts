import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildArtefact } from '../../artefacts/build.ts';
import { adminAddress } from '../../cli/apply/address.ts';
import { openAdmin } from '../../cli/apply/admin.ts';
import { apply } from '../../cli/apply/apply.ts';
import { guardHandlers } from '../../cli/apply/handlers.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { command } from '../../platform/command.ts';
import type { ExternalError } from '../../platform/errors.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { endChild } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { freePort, run, temporaryFile } from '../support/guardcli.ts';

/** Opens a new connection for each request, because a reload closes idle ones. */
async function get(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Connection: 'close' } });
  return `${response.status} ${response.headers.get('content-type')}`;
}

async function start(t: TestContext, listen: (folder: string) => string) {
  const folder = scratchFolder('guard-apply-');
  const ports = [await freePort(), await freePort()] as const;
  const site = (port: number) => ({
    listen: [`127.0.0.1:${port}`],
    automatic_https: { disable: true },
    routes: [{ handle: [{ handler: 'guard' }, { handler: 'static_response', body: 'fine' }] }],
  });
  // The admin API has no path for a server whose name contains a slash.
  const servers = { a: site(ports[0]), 'b/2': site(ports[1]) };
  const config = { admin: { listen: listen(folder), config: { persist: false } }, apps: { http: { servers } } };
  const file = temporaryFile('caddy.json', config);
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const caddy = spawn(await buildArtefact('caddy'), ['run', '--config', file], { env, stdio: 'ignore' });
  t.after(() => endChild(caddy));
  const isUp = (port: number) =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(() => isUp(ports[0]), 'Caddy to serve');
  return { admin: listen(folder), ports };
}

const adminPort = await freePort();
const wherever: Record<string, (folder: string) => string> = {
  TCP: () => `127.0.0.1:${adminPort}`,
  'a socket': (folder) => `unix/${folder}/admin.sock`,
};

for (const [name, listen] of Object.entries(wherever)) {
  test(`a policy is applied to all guards or to one, over ${name}`, async (t) => {
    const { admin, ports } = await start(t, listen);
    assert.equal(await get(ports[0], '/.env'), '403 text/plain; charset=utf-8');
    const json = temporaryFile('guard.json', { response: { mode: 'json' } });
    const dry = await run(t, ['apply', admin, json, '--dry-run']);
    assert.deepEqual([dry.status, /\+ response\.mode: "json"/.test(dry.stdout)], [0, true], dry.stderr);
    assert.equal(await get(ports[0], '/.env'), '403 text/plain; charset=utf-8');
    const applied = await run(t, ['apply', admin, json]);
    assert.match(applied.stdout, /applied to 2 guards; the new policy is live/);
    for (const port of ports) assert.equal(await get(port, '/.env'), '403 application/json');
    const html = temporaryFile('guard.json', { response: { mode: 'html' } });
    assert.equal((await run(t, ['apply', admin, html, '--server', 'b/2'])).status, 0);
    assert.equal(await get(ports[0], '/.env'), '403 application/json');
    assert.equal(await get(ports[1], '/.env'), '403 text/html; charset=utf-8');
    const both = await run(t, ['apply', admin, json]);
    assert.equal(both.status, 2);
    assert.match(both.stderr, /different policies/);
    const unset = temporaryFile('guard.json', { secret: '${GUARD_TEST_NOT_SET}' });
    const refused = await run(t, ['apply', admin, unset, '--server', 'a']);
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, /keeps the old one/);
    assert.equal(await get(ports[0], '/.env'), '403 application/json');
  });
}

test('one of two guards in a route is selected by its path', async (t) => {
  const { admin: address, ports } = await start(t, wherever.TCP as (folder: string) => string);
  const admin = openAdmin(adminAddress(address), t.signal);
  const route = '/config/apps/http/servers/a/routes/0/handle';
  const second = { handler: 'guard', block_patterns: ['^/two'] };
  const { body } = await admin.get(route);
  assert.equal((await admin.patch(route, [second, ...(body as object[])], undefined)).status, 200);
  const json = temporaryFile('guard.json', { response: { mode: 'json' } });
  const both = await run(t, ['apply', address, json, '--server', 'a', '--route', '0']);
  assert.equal(both.status, 2);
  assert.match(both.stderr, new RegExp(`Select one with --handler .* are ${route}/0, ${route}/1\\.?\\n`));
  const one = await run(t, ['apply', address, json, '--handler', `${route}/1`]);
  assert.deepEqual([one.status, /applied to 1 guard; /.test(one.stdout)], [0, true], one.stderr);
  assert.deepEqual((await admin.get(`${route}/0`)).body, second);
  assert.equal(await get(ports[0], '/two'), '403 text/plain; charset=utf-8');
});

for (const isChanged of [false, true]) {
  test(`a policy that is not live is put back${isChanged ? ' unless the configuration changed meanwhile' : ''}`, async (t) => {
    const { admin: address, ports } = await start(t, wherever.TCP as (folder: string) => string);
    const real = openAdmin(adminAddress(address), t.signal);
    const before = (await real.get('/config/')).body;
    const route = { handle: [{ handler: 'static_response', body: 'inserted' }], match: [{ path: ['/inserted'] }] };
    const insert = async () => {
      const routes = '/config/apps/http/servers/a/routes';
      const { body } = await real.get(routes);
      return real.patch(routes, [route, ...(body as object[])], undefined);
    };
    const admin: typeof real = {
      ...real,
      get: async (path) => {
        if (path !== '/guard/policies') return real.get(path);
        if (isChanged) assert.equal((await insert()).status, 200);
        return { status: 200, etag: undefined, body: [] };
      },
    };
    await assert.rejects(apply(admin, Policy.parse({ response: { mode: 'json' } }), {}), (error: ExternalError) => {
      assert.match(
        error.failed.output ?? '',
        isChanged ? /another writer changed the configuration first/ : /the old policy was restored/,
      );
      return true;
    });
    const { body } = await real.get('/config/');
    if (!isChanged) assert.deepEqual(body, before);
    if (isChanged) assert.equal(await (await fetch(`http://127.0.0.1:${ports[0]}/inserted`)).text(), 'inserted');
    assert.deepEqual(
      guardHandlers(body).map(({ value }) => Object.hasOwn(value, 'response')),
      [isChanged, isChanged],
    );
  });
}

const adaptedScript = (script: string, admin: string): string =>
  script.replaceAll('localhost:2019', admin).replace(/srv0\/(\S*)handle\/0$/m, 'a/routes/0/handle/0');

test('the commands of docs/caddy.md and docs/cli.md change the policy', async (t) => {
  const { admin, ports } = await start(t, wherever.TCP as (folder: string) => string);
  const guard = temporaryFile('guard-new.json', { handler: 'guard', response: { mode: 'json' } });
  const folder = dirname(guard);
  await command('bash', ['-ec', adaptedScript(blockWith('docs/caddy.md', 'sh', 'handler=http'), admin)], {
    cwd: folder,
  });
  assert.equal(await get(ports[0], '/.env'), '403 application/json');
  writeFileSync(join(folder, 'guard.json'), '{ "response": { "mode": "html" } }');
  const [, line = ''] = /^\$ guardcli (.*)$/m.exec(blockWith('docs/cli.md', 'console', 'guardcli apply')) ?? [];
  const args = adaptedScript(line, admin).replace('guard.json', join(folder, 'guard.json')).split(' ');
  const { status, stdout, stderr } = await run(t, [...args, '--server', 'a']);
  assert.equal(status, 0, stderr);
  assert.match(
    stdout,
    /^- response\.mode: "json"\n\+ response\.mode: "html"\napplied to 1 guard; the new policy is live$/m,
  );
});
