import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import { ExternalError, UsageError } from '../../platform/errors.ts';
import type { Admin, Answer } from './admin.ts';
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

/** An admin API with a configuration; `answers` change how a step of it goes. */
function adminOf(config: object, answers: { patch?: Partial<Answer>; live?: Partial<Answer>; forgets?: boolean } = {}) {
  const state = { config: structuredClone(config) as unknown, patches: 0 };
  const ok = (body: unknown): Answer => ({ status: 200, etag: 'tag', body });
  const admin: Admin = {
    get: async (path) => {
      if (path === '/config/') return ok(structuredClone(state.config));
      const policies = guardHandlers(state.config).map(({ value: { handler: _, '@id': __, ...policy } }) => policy);
      return { ...ok(policies), ...answers.live };
    },
    patch: async (path, value, etag) => {
      assert.equal(etag, 'tag');
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

test('guards are found wherever a handler can stand', () => {
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

test('one change gives several guards the policy and touches nothing else', () => {
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

test('a policy is applied, and a second time there is nothing to do', async () => {
  const { admin, state } = adminOf(configOf([route(guard({ methods: ['*'] }))]));
  const first = await apply(admin, wanted, {}, false);
  assert.deepEqual(first.differences, [
    { key: 'methods', old: ['*'], new: undefined },
    { key: 'response.mode', old: undefined, new: 'json' },
  ]);
  assert.ok(first.changed);
  assert.deepEqual(state.config, configOf([route(guard(json))]));
  assert.equal((await apply(admin, wanted, {}, false)).changed, false);
  assert.equal(state.patches, 1);
});

test('a dry run changes nothing', async () => {
  const { admin, state } = adminOf(configOf([route(guard())]));
  assert.equal((await apply(admin, wanted, {}, true)).differences.length, 1);
  assert.equal(state.patches, 0);
});

test('a difference tells that secrets differ, and names variables, but never shows a secret', async () => {
  const captcha = (secretKey: string) => ({
    mode: 'captcha',
    captcha: { provider: 'turnstile', siteKey: 'k', secretKey },
  });
  const old = { secret: 'old-and-long-enough', response: { captcha: { secret_key: 'old-key', site_key: 'k' } } };
  const fresh = Policy.parse({ secret: '${NAME}', response: captcha('new-key') });
  const { differences } = await apply(adminOf(configOf([route(guard(old))])).admin, fresh, {}, true);
  const text = JSON.stringify(differences);
  assert.ok(!/long-enough|old-key|new-key/.test(text), text);
  const secret = differences.find(({ key }) => key === 'secret');
  assert.deepEqual(secret, { key: 'secret', old: '(hidden)', new: '${NAME}' });
});

test('a page is no configuration, and what answers there no admin API', async () => {
  const { admin } = adminOf({});
  for (const answer of [
    { status: 200, body: 'hello' },
    { status: 404, body: undefined },
  ]) {
    const site: Admin = { ...admin, get: async () => ({ etag: undefined, ...answer }) };
    await assert.rejects(apply(site, wanted, {}, false), { code: 'admin_refused' });
  }
});

test('guards with different policies are chosen between, or listed', async () => {
  const config = configOf([route(guard(), guard({ debug: true }, 'two'))], [route(guard())]);
  await assert.rejects(apply(adminOf(config).admin, wanted, {}, false), (error: UsageError) => {
    return error instanceof UsageError && error.code === 'several_guards' && /srv0.*srv1/.test(error.hint ?? '');
  });
  const { admin } = adminOf(config);
  const { handlers } = await apply(admin, wanted, { id: 'two' }, false);
  assert.deepEqual(handlers, ['/config/apps/http/servers/srv0/routes/0/handle/1']);
  await assert.rejects(apply(admin, wanted, { server: 'other' }, false), { code: 'no_guard' });
  await assert.rejects(apply(adminOf({}).admin, wanted, {}, false), { code: 'no_guard' });
});

test('a refused policy, another writer and a guard that does not follow are told, and the old policy stays', async () => {
  const config = configOf([route(guard())]);
  const cases = [
    [{ patch: { status: 400, body: { error: 'bad regex' } } }, 'policy_refused', /status 400: bad regex/],
    [{ patch: { status: 412 } }, 'config_changed', /status 412/],
    [{ live: { body: [{}] } }, 'not_live', /the old policy is back/],
    [{ forgets: true }, 'not_live', /the old policy is back/],
  ] as const;
  for (const [answers, code, output] of cases) {
    const { admin, state } = adminOf(config, answers);
    await assert.rejects(apply(admin, wanted, {}, false), (error: ExternalError) => {
      assert.ok(error instanceof ExternalError);
      assert.equal(error.code, code);
      assert.match(error.failed.output ?? '', output);
      return true;
    });
    assert.deepEqual(state.config, config, code);
  }
});
