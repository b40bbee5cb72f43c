import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import { ExternalError, UsageError } from '../../platform/errors.ts';
import { freePort } from '../../platform/free-ports.ts';
import { runCaptured } from '../testing/captured.ts';
import { adminAddress } from './address.ts';
import { type Admin, type AdminResponse, openAdmin } from './admin.ts';
import { apply } from './apply.ts';
import { changeOf } from './change.ts';
import { guardHandlers, valueAt } from './handlers.ts';

const guard = (policy: object = {}, id?: string) => ({ handler: 'guard', ...(id && { '@id': id }), ...policy });
const route = (...handle: object[]) => ({ handle });
const configOf = (...servers: object[][]) => ({
  apps: { http: { servers: Object.fromEntries(servers.map((routes, index) => [`srv${index}`, { routes }])) } },
});

const json = { response: { mode: 'json' } };
const wanted = Policy.parse({ response: { mode: 'json' } });

interface Answers {
  readonly patch?: Partial<AdminResponse>;
  readonly live?: Partial<AdminResponse>;
  /** True when the API accepts a change without applying it. */
  readonly forgets?: boolean;
  /** A change by another writer before the API returns the live policies. */
  readonly meanwhile?: (config: ReturnType<typeof configOf>) => void;
}

/** An admin API whose ETag is the text of its configuration. `answers` changes the outcome of a step. */
function adminOf(config: object, answers: Answers = {}) {
  const state = { config: structuredClone(config) as unknown, patches: 0 };
  const tag = () => JSON.stringify(state.config);
  const ok = (body: unknown): AdminResponse => ({ status: 200, etag: tag(), body });
  const admin: Admin = {
    get: async (path) => {
      if (path === '/config/') return ok(structuredClone(state.config));
      answers.meanwhile?.(state.config as ReturnType<typeof configOf>);
      const policies = guardHandlers(state.config).map(({ value: { handler: _, '@id': __, ...policy } }) => policy);
      return { ...ok(policies), ...answers.live };
    },
    patch: async (path, value, etag) => {
      if (etag !== tag()) return { ...ok(undefined), status: 412 };
      state.patches += 1;
      if (answers.patch) return { ...ok(undefined), ...answers.patch };
      if (answers.forgets && state.patches === 1) return ok(undefined);
      const steps = path.split('/').slice(2).map(decodeURIComponent);
      const parent = valueAt(state.config, steps.slice(0, -1)) as Record<string, unknown>;
      parent[steps.at(-1) as string] = value;
      return ok(undefined);
    },
  };
  return { admin, state };
}

test('finds guards wherever Caddy accepts a handler', () => {
  const inner = { handler: 'subroute', routes: [route({ handler: 'headers' }, guard())] };
  const config = configOf(
    [route(inner), { '@id': 'r', ...route(guard({}, 'g')) }],
    [route({ handler: 'file_server' })],
  );
  const found = guardHandlers(config).map(({ path, server, route: number, ids }) => [
    path.slice(4).join('/'),
    server,
    number,
    ids,
  ]);
  assert.deepEqual(found, [
    ['routes/0/handle/0/routes/0/handle/1', 'srv0', 0, []],
    ['routes/1/handle/0', 'srv0', 1, ['r', 'g']],
  ]);
  assert.deepEqual(guardHandlers(null), []);
});

test('replaces the policy of several guards in one change and keeps everything else', () => {
  const config = configOf([route(guard(), { handler: 'x' })], [route(guard({}, 'id'))]);
  const { path, value } = changeOf(config, guardHandlers(config), json);
  assert.deepEqual(path, ['apps', 'http', 'servers']);
  assert.deepEqual(
    value,
    configOf([route(guard(json), { handler: 'x' })], [route(guard(json, 'id'))]).apps.http.servers,
  );
  const one = configOf([route({ handler: 'x' }, guard())]);
  assert.deepEqual(changeOf(one, guardHandlers(one), json).value, guard(json));
});

test('applies a policy, and changes nothing the second time', async () => {
  const { admin, state } = adminOf(configOf([route(guard({ methods: ['*'] }))]));
  const first = await apply(admin, wanted, {});
  assert.deepEqual(first.differences, [
    { key: 'methods', old: ['*'], new: undefined },
    { key: 'response.mode', old: undefined, new: 'json' },
  ]);
  assert.ok(first.changed);
  assert.deepEqual(state.config, configOf([route(guard(json))]));
  assert.equal((await apply(admin, wanted, {})).changed, false);
  assert.equal(state.patches, 1);
});

test('keeps a file of events that the new policy does not name, unless the caller accepts it', async () => {
  const { admin, state } = adminOf(configOf([route(guard({ security_log_file: '/var/log/caddy/guard.jsonl' }))]));
  await assert.rejects(apply(admin, wanted, {}), {
    code: 'event_file_lost',
    hint: /^add "securityLogFile": "\/var\/log\/caddy\/guard\.jsonl" to the policy/,
  });
  assert.equal(state.patches, 0);
  assert.ok((await apply(admin, wanted, {}, { mayLoseEventFile: true })).changed);
});

test('changes nothing in a dry run', async () => {
  const { admin, state } = adminOf(configOf([route(guard())]));
  assert.equal((await apply(admin, wanted, {}, { isDry: true })).differences.length, 1);
  assert.equal(state.patches, 0);
});

test('reports that secrets differ and names variables, but never prints a secret', async () => {
  const captcha = (secretKey: string) => ({
    mode: 'captcha',
    captcha: { provider: 'turnstile', siteKey: 'k', secretKey },
  });
  const old = { secret: 'old-and-long-enough', response: { captcha: { secret_key: 'old-key', site_key: 'k' } } };
  const fresh = Policy.parse({ secret: '${NAME}', response: captcha('new-key') });
  const { differences } = await apply(adminOf(configOf([route(guard(old))])).admin, fresh, {}, { isDry: true });
  const text = JSON.stringify(differences);
  assert.ok(!/long-enough|old-key|new-key/.test(text), text);
  const secret = differences.find(({ key }) => key === 'secret');
  assert.deepEqual(secret, { key: 'secret', old: '(hidden)', new: '${NAME}' });
});

test('refuses a server that is not an admin API', async () => {
  const { admin } = adminOf({});
  for (const answer of [
    { status: 200, body: 'hello' },
    { status: 404, body: undefined },
  ]) {
    const site: Admin = { ...admin, get: async () => ({ etag: undefined, ...answer }) };
    await assert.rejects(apply(site, wanted, {}), { code: 'admin_refused' });
  }
});

test('selects one of several guards in a route by its path, as the error lists it', async () => {
  const { admin, state } = adminOf(configOf([route(guard(), guard({ debug: true }))]));
  const listed: string[] = [];
  await assert.rejects(apply(admin, wanted, { server: 'srv0', route: 0 }), ({ code, hint = '' }: UsageError) => {
    listed.push(...(hint.match(/\/config\S+\d/g) ?? []));
    return code === 'several_guards' && /^select one with --handler and its path, /.test(hint);
  });
  const [, second = ''] = listed;
  assert.equal(second, '/config/apps/http/servers/srv0/routes/0/handle/1');
  assert.deepEqual((await apply(admin, wanted, { handler: second })).handlers, [second]);
  assert.deepEqual(state.config, configOf([route(guard(), guard(json))]));
  const absent = { handler: `${second}/x` };
  await assert.rejects(apply(admin, wanted, absent), { code: 'no_guard' });
});

test('lists guards with different policies unless the options select one', async () => {
  const config = configOf([route(guard(), guard({ debug: true }, 'two'))], [route(guard())]);
  await assert.rejects(apply(adminOf(config).admin, wanted, {}), (error: UsageError) => {
    return error instanceof UsageError && error.code === 'several_guards' && /srv0.*srv1/.test(error.hint ?? '');
  });
  const { admin } = adminOf(config);
  const { handlers } = await apply(admin, wanted, { id: 'two' });
  assert.deepEqual(handlers, ['/config/apps/http/servers/srv0/routes/0/handle/1']);
  await assert.rejects(apply(admin, wanted, { server: 'other' }), { code: 'no_guard' });
  await assert.rejects(apply(adminOf({}).admin, wanted, {}), { code: 'no_guard' });
});

test('keeps the old policy and reports a refusal, another writer, and a guard that does not apply the change', async () => {
  const config = configOf([route(guard())]);
  const cases = [
    [{ patch: { status: 400, body: { error: 'bad regex' } } }, 'policy_refused', /status 400: bad regex/],
    [{ patch: { status: 412 } }, 'config_changed', /status 412/],
    [{ live: { body: [{}] } }, 'not_live', /the old policy was restored/],
    [{ forgets: true }, 'not_live', /the old policy is in place/],
  ] as const;
  for (const [answers, code, output] of cases) {
    const { admin, state } = adminOf(config, answers);
    await assert.rejects(apply(admin, wanted, {}), (error: ExternalError) => {
      assert.ok(error instanceof ExternalError);
      assert.equal(error.code, code);
      assert.match(error.failed.output ?? '', output);
      return true;
    });
    assert.deepEqual(state.config, config, code);
  }
});

test('does not overwrite a change by another writer when it restores the old policy', async () => {
  const config = configOf([route(guard(), { handler: 'x' })]);
  const inserted = route({ handler: 'static_response' });
  const { admin, state } = adminOf(config, {
    live: { body: [] },
    meanwhile: ({ apps }) => void apps.http.servers.srv0?.routes.unshift(inserted),
  });
  await assert.rejects(apply(admin, wanted, {}), (error: ExternalError) => {
    assert.equal(error.code, 'not_live');
    assert.match(
      error.failed.output ?? '',
      /another writer changed the configuration first, so the old policy was not restored/,
    );
    return true;
  });
  assert.deepEqual(state.config, configOf([inserted, route(guard(json), { handler: 'x' })]));
});

test('accepts a change by another writer before the check if the new policy is live', async () => {
  const { admin, state } = adminOf(configOf([route(guard())]));
  const { patch } = admin;
  const inserting: Admin = {
    ...admin,
    patch: async (...call) => {
      const answer = await patch(...call);
      (state.config as ReturnType<typeof configOf>).apps.http.servers.srv0?.routes.push(route({ handler: 'x' }));
      return answer;
    },
  };
  assert.equal((await apply(inserting, wanted, {})).changed, true);
});

test('recognizes the new policy when the guard hides its secrets', async () => {
  const secret = 'a secret of 16 bytes or more';
  const live = { body: [{ secret: '(hidden)' }] };
  const { admin } = adminOf(configOf([route(guard())]), { live });
  const { changed } = await apply(admin, Policy.parse({ secret }), {});
  assert.equal(changed, true);
});

test('refuses a configuration that nests too deeply, also inside a guard', async (t) => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const inServer = (value: string) => `{"apps":{"http":{"servers":{"a":${value}}}}}`;
  for (const body of [
    nested(100_000),
    inServer(nested(100_000)),
    inServer(`{"handler":"guard","x":${nested(9000)}}`),
  ]) {
    const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { status, stderr } = await runCaptured(['apply', `127.0.0.1:${port}`, '-'], { stdin: '{}' });
    assert.match(stderr, /^error: the response of http:\S+ nests deeper than 1000 levels\. Pass the address of/);
    assert.equal(status, 3);
  }
});

const refusal = (port: number) => new Promise((resolve) => connect(port, '127.0.0.1').on('error', resolve));

test('fails at once on a refused connection before the first change', async (t: TestContext) => {
  const port = await freePort();
  const admin = openAdmin(adminAddress(`127.0.0.1:${port}`), t.signal);
  const asked = admin.get('/config/').then(
    () => assert.fail('the command waited for the server'),
    (error: ExternalError) => error,
  );
  await refusal(port);
  const server = createServer((_, response) => response.end('{}')).listen(port, '127.0.0.1');
  t.after(() => server.close());
  const { code, message } = await asked;
  assert.deepEqual(
    [code, message],
    ['admin_unreachable', `no Caddy responds at http://127.0.0.1:${port}: connection refused`],
  );
});

test('retries a connection that is refused after a change, while Caddy reloads', async (t: TestContext) => {
  const port = await freePort();
  const first = createServer((_, response) => response.end('{}')).listen(port, '127.0.0.1');
  await once(first, 'listening');
  const admin = openAdmin(adminAddress(`127.0.0.1:${port}`), t.signal);
  assert.equal((await admin.patch('/config/', {}, undefined)).status, 200);
  first.closeAllConnections();
  await new Promise((resolve) => first.close(resolve));
  const asked = admin.get('/config/');
  await refusal(port);
  const second = createServer((_, response) => response.end('{"a":1}')).listen(port, '127.0.0.1');
  t.after(() => second.close());
  assert.deepEqual((await asked).body, { a: 1 });
});

/** Runs the command against an admin API that handles the change with `onPatch`. Returns the error output. */
async function outputOf(t: TestContext, onPatch: (socket: Socket, interrupt: () => void) => void) {
  const controller = new AbortController();
  const server = createServer(({ method, socket }, response) => {
    if (method === 'PATCH') onPatch(socket, () => controller.abort());
    else response.end(JSON.stringify(configOf([route(guard())])));
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const setting = { stdin: JSON.stringify(json), signal: controller.signal };
  return (await runCaptured(['apply', `127.0.0.1:${port}`, '-'], setting)).stderr;
}

test('reports that the policy may be live when the connection is lost after the change was sent', async (t) =>
  assert.match(
    await outputOf(t, (socket) => socket.destroy()),
    /^error: the policy was sent to Caddy, and it is not known whether it is live\.\n.*socket hang up\n.*Run the command again/,
  ));

test('reports that the policy may be live when it is interrupted after the change was sent', async (t) =>
  assert.match(
    await outputOf(t, (_, interrupt) => interrupt()),
    /^error: the policy was sent to Caddy, and it is not known whether it is live\.\n.*interrupted\n/,
  ));

test('reports that no Caddy responds when the connection for the change is refused', async () => {
  const { admin } = adminOf(configOf([route(guard())]));
  const unused = openAdmin(adminAddress(`127.0.0.1:${await freePort()}`), new AbortController().signal);
  const refusing: Admin = { ...admin, patch: unused.patch };
  await assert.rejects(apply(refusing, wanted, {}), { code: 'admin_unreachable' });
});

test('reports that the policy may be live when the check after the change fails', async () => {
  const { admin } = adminOf(configOf([route(guard())]));
  const unused = openAdmin(adminAddress(`127.0.0.1:${await freePort()}`), new AbortController().signal);
  const get = (path: string) => (path === '/config/' ? admin.get(path) : unused.get(path));
  await assert.rejects(apply({ ...admin, get }, wanted, {}), { code: 'outcome_unknown' });
});
