import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../../../contract/policy/limits.ts';
import { modes } from '../../../../contract/policy/modes.ts';
import { bytesOf, type Guarded, type Message, startGuarded, statusOf } from '../guarded.ts';
import { captcha, startProvider, stateOf } from './captcha-site.ts';
import { startTarget } from './target.ts';
import { type Answer, answersIn, exchangeBytes } from './wire.ts';

const needed: Readonly<Record<string, object>> = {
  captcha: { captcha },
  tarpit: { tarpitDelayMs: 10, tarpitMaxDurationSeconds: 1 },
  infinite_stream: { streamSizeMb: 1 },
};

test('every mode answers what the engine blocks', async (t) => {
  const target = await startTarget(t, {});
  const proxy = { proxyUrl: `http://127.0.0.1:${target.port}` };
  const policies = Object.fromEntries(
    Object.keys(modes).map((mode) => [
      mode,
      { response: { mode, ...needed[mode], ...(mode === 'proxy' ? proxy : {}) } },
    ]),
  );
  const guarded = await startGuarded(t, { policies });
  const own: Readonly<Record<string, number>> = { silent_drop: 0, proxy: 200 };
  for (const [mode, { statusCode }] of Object.entries(modes))
    await t.test(mode, async () => {
      assert.equal(await statusOf(guarded, { target: '/.env', policy: mode }), statusCode ?? own[mode]);
      assert.equal(await statusOf(guarded, { target: '/clean', policy: mode }), 200);
    });
  await t.test('and says which', () => {
    assert.deepEqual(
      guarded.events().map(({ action }) => action),
      Object.keys(modes),
    );
  });
});

async function answerTo({ port }: Guarded, message: Message): Promise<Answer> {
  return answersIn(await exchangeBytes(port, bytesOf(message)), message.method ?? 'GET')[0] ?? assert.fail('no answer');
}

/** Imitates HTTP/3 with older Lua modules, which lacks $http_host. */
const http3 = `
local var = ngx.var
ngx.var = setmetatable({}, { __index = function(_, name) if name ~= "http_host" then return var[name] end end })
ngx.req.http_version = function() return 3 end`;

test('the decoy and the honeypot get the host of a request over HTTP/3', async (t) => {
  const target = await startTarget(t, {});
  const proxy = { mode: 'proxy', proxyUrl: `http://127.0.0.1:${target.port}` };
  const policies = { default: { response: { mode: 'fake_success' } }, proxy: { response: proxy } };
  const guarded = await startGuarded(t, { policies, lua: http3 });
  const message = { target: '/.env', host: 'files.test' };
  assert.match((await answerTo(guarded, message)).body, /^APP_URL=https:\/\/files\.test$/m);
  assert.equal(await statusOf(guarded, { ...message, policy: 'proxy' }), 200);
  assert.match(target.requests[0] ?? '', /^x-forwarded-host: files\.test\r$/im);
});

test('a visitor who solves the captcha comes through, and no further', async (t) => {
  const provider = await startProvider(t);
  const response = { mode: 'captcha', captcha: { ...captcha, secretKey: 'key', verifyUrl: provider.url } };
  const rules = { enableDefaultPatterns: false, blockPatterns: ['^/one', '^/two'] };
  const guarded = await startGuarded(t, {
    policies: {
      default: { ...rules, secret: 'a secret of the tests', response },
      reordered: { ...rules, blockPatterns: ['^/two', '^/one'], secret: 'a secret of the tests', response },
    },
  });
  const solve = async (target: string, cookie: string): Promise<string> => {
    const page = await answerTo(guarded, { target, headers: [['Cookie', cookie]] });
    assert.equal(page.status, 403);
    const form = new URLSearchParams({ state: stateOf(page.body), 'cf-turnstile-response': 'good' });
    const answer = await answerTo(guarded, { method: 'POST', target: '/.guard/captcha', body: form.toString() });
    assert.ok(answer.headers.includes(`Location: ${target}`));
    return /^Set-Cookie: ([^;]+)/m.exec(answer.headers.join('\n'))?.[1] ?? assert.fail('no cookie');
  };
  const visit = (target: string, cookie: string, host?: string) =>
    statusOf(guarded, { target, headers: [['Cookie', cookie]], ...(host ? { host } : {}) });

  const first = await solve('/one', 'a=b');
  assert.equal(await visit('/one', first), 200);
  assert.equal(await visit('/one', first, 'another.example'), 403);
  assert.equal(await visit('/two', first), 403);
  for (const target of ['/one', '/two'])
    assert.equal(await statusOf(guarded, { target, headers: [['Cookie', first]], policy: 'reordered' }), 403, target);

  const both = `${first}; ${await solve('/two', first)}`;
  assert.equal(await visit('/two', both), 200);
  assert.equal(await visit('/one', both), 200);
  assert.equal(await visit(`/one/${'a'.repeat(limits.pathBytes)}`, both), 403);
});
