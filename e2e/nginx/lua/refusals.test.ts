/** Responses reach the client, even when `error_page` points to a backend without a guard. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { modes as table } from '../../../contract/policy/modes.ts';
import { bytesOf, type Guarded, type Setup, startGuarded } from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

type Mode = keyof typeof table;

const server = `
  error_page 400 401 403 404 413 425 429 444 500 502 503 504 = @backend;
  location @backend { rewrite_by_lua_block { } content_by_lua_block { ngx.say("backend") } }`;

const inspecting = { methods: ['*'], checkQuery: true, checkBody: true };
const failing = 'require("guard.engine").evaluate = function() error("a bug") end';
const unread = 'ngx.req.read_body = function() error("unsupported") end';

const start = (t: TestContext, setup: Partial<Setup>): Promise<Guarded> =>
  startGuarded(t, { policies: { default: inspecting }, server, ...setup });

const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const chunked = [form, ['Transfer-Encoding', 'chunked']] as const;
const chunks = (body: string): string => bytesOf({ method: 'POST', headers: chunked }) + body;

async function statusLine(nginx: Guarded, bytes: string): Promise<string> {
  const answer = await exchangeBytes(nginx.port, bytes);
  assert.doesNotMatch(answer, /backend/);
  return answer.slice('HTTP/1.1 '.length).split('\r\n')[0] ?? '';
}

test('a fault of the engine', async (t) => {
  const nginx = await start(t, { lua: failing });
  assert.equal(await statusLine(nginx, bytesOf({ target: '/a%20b' })), '500 Internal Server Error');
});

test('a body that nginx cannot read', async (t) => {
  const nginx = await start(t, { lua: unread });
  const message = { method: 'POST', headers: [form], body: 'a=1' };
  assert.equal(await statusLine(nginx, bytesOf(message)), '500 Internal Server Error');
});

/** Bodies that nginx cannot read to the end. A backend would get only a part of them, or nothing. */
const refusedBodies = {
  'a malformed body': 'xyz\r\n',
  'a body that becomes malformed': '3\r\na=1\r\nxyz\r\n',
  'a body that is too long': `300000\r\n${'a='.padEnd(0x300000, 'x')}`,
  'a body that becomes too long': `5\r\na=1&b\r\n300000\r\n${''.padEnd(0x300000, 'x')}`,
};

test('a body that nginx refuses, where the backend is guarded', async (t) => {
  const nginx = await start(t, { server: server.replace('rewrite_by_lua_block { }', '') });
  for (const [what, body] of Object.entries(refusedBodies))
    assert.equal(await statusLine(nginx, chunks(body)), '500 Internal Server Error', what);
  const forged = [form, ['X-Guard-Body-Arriving', '1']] as const;
  const answer = await exchangeBytes(nginx.port, bytesOf({ method: 'POST', headers: forged, body: 'a=1' }));
  assert.match(answer, /^HTTP\/1\.1 200 .*passed/s);
});

test('a response mode that fails', async (t) => {
  const lua = 'require("guard.respond.pages").json = function() return function() error("a bug") end end';
  const nginx = await start(t, { lua, policies: { default: { response: { mode: 'json' } } } });
  assert.equal(await statusLine(nginx, bytesOf({ target: '/.env' })), '500 Internal Server Error');
  assert.match(nginx.log(), /guard: the response failed: .*a bug/);
});

const modes = {
  json: '403',
  html: '403',
  text: '403',
  xml: '403',
  redirect: '302',
  captcha: '403',
  silent_drop: '',
  gzip_bomb: '200',
  tarpit: '200',
  fake_success: '200',
  ratelimit: '429',
  proxy: '502',
  infinite_stream: '200',
} as const satisfies Record<Mode, string>;

const more: Readonly<Partial<Record<Mode, object>>> = {
  redirect: { redirectUrl: 'https://away.example/' },
  captcha: { captcha: { provider: 'turnstile', siteKey: 'x' } },
  gzip_bomb: { gzipBombMb: 1 },
  tarpit: { tarpitDelayMs: 50, tarpitMaxDurationSeconds: 1 },
  infinite_stream: { streamSizeMb: 1 },
  proxy: { proxyUrl: 'http://127.0.0.1:1/' },
};

test('every response mode', async (t) => {
  const policyOf = (mode: Mode): object => ({ ...inspecting, response: { mode, ...more[mode] } });
  const names = Object.keys(modes) as Mode[];
  const policies = Object.fromEntries(names.map((mode) => [mode, policyOf(mode)]));
  const nginx = await start(t, { policies: { default: {}, ...policies } });
  for (const policy of names) {
    const blocked = await statusLine(nginx, bytesOf({ target: '/.env', policy }));
    assert.equal(blocked.slice(0, 3), modes[policy], policy);
    if (policy === 'proxy') continue; // nginx reads the body for this mode and refuses it
    const malformed = bytesOf({ method: 'POST', target: '/.env', policy, headers: chunked });
    await statusLine(nginx, `${malformed}xyz\r\n`);
  }
});
