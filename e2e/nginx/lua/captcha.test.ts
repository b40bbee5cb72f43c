/** A solved captcha gives access to its rule and to nothing else. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../../platform/free-ports.ts';
import { blockWith } from '../../../scripts/pages/blocks.ts';
import { listen } from '../../support/listen.ts';
import { bytesOf, type Guarded, type Message, startGuarded, statusOf } from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

async function startProvider(t: TestContext): Promise<string> {
  const server = createServer((_, answer) => answer.end('{"success": true}'));
  return `http://127.0.0.1:${await listen(t, server)}/verify`;
}

async function start(t: TestContext, more = {}): Promise<Guarded> {
  const captcha = { provider: 'turnstile', siteKey: 'site', secretKey: 'key', verifyUrl: await startProvider(t) };
  const policy = {
    secret: '0123456789abcdef',
    response: { mode: 'captcha', captcha },
    blockPatterns: ['^/one', '^/two', 'two$'],
    methods: ['GET'],
  };
  const off = { ...policy, mode: 'detect' };
  return startGuarded(t, { policies: { default: policy, detect: off }, http: 'resolver 127.0.0.1:1;', ...more });
}

const answerTo = ({ port }: Guarded, message: Message): Promise<string> => exchangeBytes(port, bytesOf(message));

/** Returns the cookie for the rule that blocks the target. */
async function solve(nginx: Guarded, target: string, cookie = ''): Promise<string> {
  const page = await answerTo(nginx, { target, headers: [['Cookie', cookie]] });
  const [, state = ''] = /name="state" value="([^"]+)"/.exec(page) ?? [];
  const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const;
  const body = `cf-turnstile-response=token&state=${encodeURIComponent(state)}`;
  const answer = await answerTo(nginx, { method: 'POST', target: '/.guard/captcha', headers, body });
  assert.match(
    answer,
    new RegExp(`^HTTP/1\\.1 303 [^\\0]*\\r\\nLocation: ${target.replaceAll('.', '\\.')}\\r\\n`),
    page,
  );
  return /^Set-Cookie: ([^;]+)/m.exec(answer)?.[1] ?? '';
}

test('a pass excuses its rule and nothing else', async (t) => {
  const nginx = await start(t);
  const cookie = await solve(nginx, '/one');
  const withCookie = [['Cookie', cookie]] as const;
  const cases: readonly (readonly [string, number, Message])[] = [
    ['the rule', 200, { target: '/one', headers: withCookie }],
    ['the rule at another path', 200, { target: '/one/more', headers: withCookie }],
    ['no pass', 403, { target: '/one' }],
    ['another rule', 403, { target: '/.git/config', headers: withCookie }],
    ['both rules at once', 403, { target: '/one/.env', headers: withCookie }],
    ['another host', 403, { target: '/one', headers: withCookie, host: 'example.org' }],
    ['a limit', 403, { target: `/one${'a'.repeat(5000)}`, headers: withCookie }],
    ['a clean path', 200, { target: '/clean', headers: withCookie }],
  ];
  for (const [name, status, message] of cases) assert.equal(await statusOf(nginx, message), status, name);
});

test('two rules take two passes', async (t) => {
  const nginx = await start(t);
  const first = await solve(nginx, '/two');
  assert.equal(await statusOf(nginx, { target: '/two', headers: [['Cookie', first]] }), 403);
  const second = await solve(nginx, '/two', first);
  assert.equal(await statusOf(nginx, { target: '/two', headers: [['Cookie', `${first}; ${second}`]] }), 200);
});

test('the path of answers is the guard’s own, unless the guard only detects', async (t) => {
  const nginx = await start(t);
  assert.match(await answerTo(nginx, { target: '/.guard/captcha' }), /^HTTP\/1\.1 405 .*\r\nAllow: POST\r\n/s);
  assert.equal(await statusOf(nginx, { target: '/.guard/captcha', policy: 'detect' }), 200);
});

test('a guard of some paths that also has the path of answers, as docs/captcha.md shows', async (t) => {
  const backend = await freePort();
  const block = blockWith('docs/captcha.md', 'nginx', '/.guard/captcha').replace(
    '10.0.0.5:8080',
    `127.0.0.1:${backend}`,
  );
  const nginx = await start(t, {
    http: `resolver 127.0.0.1:1;
      server { listen 127.0.0.1:${backend}; rewrite_by_lua_block { } location / { return 200 "backend"; } }`,
    server: `rewrite_by_lua_block { } ${block}`,
  });
  const cookie = await solve(nginx, '/admin/two');
  assert.equal(await statusOf(nginx, { target: '/admin/two' }), 403);
  assert.equal(await statusOf(nginx, { target: '/admin/two', headers: [['Cookie', cookie]] }), 200);
  assert.equal(await statusOf(nginx, { target: '/two' }), 200);
});

// Newer versions of lua-nginx-module throw for the body of an HTTP/2 request without Content-Length.
test('a form that nginx cannot read ends the connection', async (t) => {
  const nginx = await start(t, { lua: 'ngx.req.read_body = function() error("unsupported") end' });
  assert.equal(await answerTo(nginx, { method: 'POST', target: '/.guard/captcha', body: 'state=x' }), '');
  assert.match(nginx.log(), /thread aborted.*unsupported/);
});
