/** nginx calls the guard in every kind of location, once for each request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../../platform/free-ports.ts';
import { bytesOf, startGuarded, statusOf, statusOverHttp2 } from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

const locations = `
    location /return/ { return 204; }
    location /satisfy/ { satisfy any; allow all; content_by_lua_block { ngx.say("satisfied") } }
    location /access/ { access_by_lua_block { return } return 201; }
    location /content/ { content_by_lua_block { ngx.say("content") } }
    location /rewritten/ { rewrite ^ /content/x last; }
    location /tried/ { try_files /absent @named; }
    location /two/ {
      rewrite_by_lua_block { local check = require("guard").check check("detect") check("html") }
      try_files /absent @named;
    }
    location @named { content_by_lua_block { ngx.say("named") } }
    location /errors/ { error_page 403 =200 /content/hidden; error_page 404 =200 /content/found; content_by_lua_block { ngx.exit(404) } }
    location /subrequest/ {
      content_by_lua_block {
        local answer = ngx.location.capture("/content/y")
        ngx.print(answer.status, " ", answer.body)
      }
    }
`;

const places = {
  '/return/': 204,
  '/satisfy/': 200,
  '/access/': 201,
  '/content/': 200,
  '/rewritten/': 200,
  '/tried/': 200,
  '/errors/': 200,
  '/subrequest/': 200,
};

test('every location is guarded', async (t) => {
  const policies = {
    ...{ default: {}, detect: { mode: 'detect', response: { mode: 'json' } } },
    html: { mode: 'detect', response: { mode: 'html' } },
  };
  const nginx = await startGuarded(t, { policies, server: locations });

  await t.test('clean requests pass', async () => {
    for (const [place, status] of Object.entries(places))
      assert.equal(await statusOf(nginx, { target: `${place}clean` }), status, place);
    assert.deepEqual(nginx.events(), []);
  });
  await t.test('hostile ones do not', async () => {
    for (const place of Object.keys(places))
      assert.equal(await statusOf(nginx, { target: `${place}.env` }), 403, place);
    assert.equal(nginx.events().length, Object.keys(places).length);
  });
  await t.test('a detecting guard reports each request once, however often nginx redirects it', async () => {
    const before = nginx.events().length;
    for (const [place, status] of Object.entries(places))
      assert.equal(await statusOf(nginx, { target: `${place}.env`, policy: 'detect' }), status, place);
    const events = nginx.events().slice(before);
    assert.deepEqual(
      events.map(({ path }) => path),
      Object.keys(places).map((place) => `${place}.env`),
    );
    assert.deepEqual([...new Set(events.map(({ type }) => type))], ['guard_detect']);
  });
  await t.test('requests on one connection are reported each', async () => {
    const before = nginx.events().length;
    const hostile = { target: '/tried/.env', policy: 'detect' };
    await exchangeBytes(nginx.port, bytesOf(hostile, false) + bytesOf(hostile));
    assert.equal(nginx.events().length - before, 2);
  });
  await t.test('each detecting policy of a request reports it', async () => {
    const before = nginx.events().length;
    assert.equal(await statusOf(nginx, { target: '/two/.env', policy: 'detect' }), 200);
    assert.deepEqual(
      nginx
        .events()
        .slice(before)
        .map(({ action }) => action),
      ['json', 'html'],
    );
  });
  await t.test('a subrequest is not judged again', async () => {
    const bytes = await exchangeBytes(nginx.port, bytesOf({ target: '/subrequest/clean' }));
    assert.match(bytes, /200 content\n/);
  });
});

test('rewrites of the server change nothing', async (t) => {
  const server = 'rewrite ^/moved/(.*)$ /elsewhere/$1; rewrite ^/hidden/ /fine break; rewrite ^/to-env$ /.env break;';
  const nginx = await startGuarded(t, { policies: { default: {} }, server });
  for (const [target, status] of [
    ['/moved/.env', 403],
    ['/hidden/.env', 403],
    ['/moved/clean', 200],
    ['/to-env', 200], // a rewrite by the operator: the client did not request this file
  ] as const)
    assert.equal(await statusOf(nginx, { target }), status, target);
});

test('the error page of a request that nginx refuses does not bypass the guard', async (t) => {
  const server = 'error_page 400 414 /content/bad; location /content/ { content_by_lua_block { ngx.say("page") } }';
  const nginx = await startGuarded(t, { policies: { default: {} }, server });
  for (const target of ['/../.env', '/%zz', '/.env%00', `/${'a'.repeat(40_000)}`]) {
    const bytes = await exchangeBytes(nginx.port, bytesOf({ target }));
    assert.match(bytes, /^HTTP\/1\.1 4(?:00|14).*page\n|^HTTP\/1\.1 403 /s, target.slice(0, 20));
  }
  assert.equal(nginx.log().includes('[error]'), false, nginx.log());
});

test('an internal redirect changes no method', async (t) => {
  const upstream = await freePort();
  const nginx = await startGuarded(t, {
    policies: { default: {}, all: { methods: ['*'] } },
    http: `server {
      listen 127.0.0.1:${upstream};
      rewrite_by_lua_block { }
      location / { add_header X-Accel-Redirect /given/file; return 200; }
    }`,
    server: `
      location /missing/ { error_page 404 /content/missing; return 404; }
      location /accel/ { proxy_pass http://127.0.0.1:${upstream}; }
      location /given/ { internal; return 200 "given\n"; }
      location /content/ { content_by_lua_block { ngx.say(ngx.req.get_method()) } }`,
  });
  for (const [target, status] of [
    ['/missing/.env', 404],
    ['/accel/.env', 200],
  ] as const) {
    assert.equal(await statusOf(nginx, { method: 'POST', target }), status, target);
    assert.equal(await statusOf(nginx, { method: 'POST', target, policy: 'all' }), 403, target);
    assert.equal(await statusOf(nginx, { target }), 403, target);
    assert.equal(await statusOverHttp2(nginx.http2Port, { ':method': 'POST', ':path': target }), status, target);
  }
  assert.deepEqual(
    nginx.events().map(({ method, path }) => `${method} ${path}`),
    ['POST /missing/.env', 'GET /missing/.env', 'POST /accel/.env', 'GET /accel/.env'],
  );
});
