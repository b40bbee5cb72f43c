/** Only an explicit acceptance by the provider gives a pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { captchaProviderRows, captchaTexts, contentSecurityPolicy } from '../../../../contract/policy/captcha.ts';
import { limits } from '../../../../contract/policy/limits.ts';
import { until } from '../../../../platform/testing/until.ts';
import { formRequest, formWith, post, postInChunks, startSite, stateOf, visit } from './captcha-site.ts';
import { answersIn, exchangeBytes, open, request } from './wire.ts';

const { turnstile } = captchaProviderRows;
const values: Readonly<Record<string, string>> = {
  title: 'Check &lt;1&gt;',
  script: turnstile.scriptUrl,
  widget: turnstile.widgetClass,
  site_key: 'site&#34;key',
};
const filled = (page: string, state = ''): string =>
  page.replaceAll(/\[\[([a-z_]+)\]\]/g, (_, name: string) => (name === 'state' ? state : (values[name] ?? '')));

function isPageAgain(answer: { readonly status: number; readonly body: string }): void {
  assert.equal(answer.status, 403);
  assert.ok(answer.body.includes(captchaTexts.alert), answer.body);
}

const passCookie =
  /^Set-Cookie: (guard_pass_[0-9a-f]{16}=[0-9]+\.[\w-]{43}); Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/m;

test('pages of mode captcha', async (t) => {
  const site = await startSite(t);
  const { port } = site.nginx;
  await t.test('without a key it only challenges', async () => {
    const bytes = await exchangeBytes(port, request('GET', '/page/.env', 'Connection: close'));
    assert.equal(answersIn(bytes, 'GET')[0]?.body, filled(captchaTexts.challengeOnly));
  });
  await t.test('with a key it carries a state', async () => {
    const answer = await visit(site, 'on');
    assert.equal(answer.body, filled(captchaTexts.page, stateOf(answer.body)));
    assert.deepEqual(answer.headers.toSorted(), [
      'Cache-Control: no-store',
      `Content-Length: ${answer.body.length}`,
      `Content-Security-Policy: ${contentSecurityPolicy(turnstile)}`,
      'Content-Type: text/html; charset=utf-8',
      'Referrer-Policy: same-origin',
    ]);
  });
  await t.test('a limit is refused in text', async () => {
    assert.equal((await visit(site, 'on', '', '')).body, '403 Forbidden\n');
  });
});

test('a solved challenge leads back with a pass, which excuses its rule alone', async (t) => {
  const site = await startSite(t);
  const answer = await post(site, 'on', await formWith(site, 'on', 'good'));
  const headers = answer.headers.join('\n');
  assert.equal(answer.status, 303);
  assert.match(headers, /^Location: \/visit\/\/x\?policy=on&rule=env-file$/m);
  assert.equal(site.provider.forms.at(-1), 'secret=key%261&response=good&remoteip=192.0.2.7');
  const [, cookie = ''] = passCookie.exec(headers) ?? [];
  assert.equal((await visit(site, 'on', `a=b; ${cookie}`)).status, 204);
  assert.equal((await visit(site, 'on', cookie, 'another')).status, 403);
  assert.equal((await visit(site, 'on', `${cookie}x`)).status, 403);
});

test('nothing else opens it', async (t) => {
  const site = await startSite(t);
  for (const token of [
    'bad',
    'text',
    'cut',
    'long',
    'garbage',
    'redirect',
    '',
    'x'.repeat(limits.captchaTokenBytes + 1),
  ])
    await t.test(`the token ${token.slice(0, 9) || 'absent'}`, async () =>
      isPageAgain(await post(site, 'on', await formWith(site, 'on', token))),
    );
  for (const policy of ['dead', 'named', 'tls'])
    await t.test(`a provider that is ${policy}`, async () =>
      isPageAgain(await post(site, policy, await formWith(site, policy, 'good'))),
    );
  await t.test('a provider that cannot be asked is reported once', async () => {
    isPageAgain(await post(site, 'named', await formWith(site, 'named', 'good')));
    const report = /no visitor passes: no resolver defined to resolve "provider.example"/g;
    assert.equal(site.nginx.errorLog().match(report)?.length, 1);
  });
  await t.test('a solution for another host, which is reported once', async () => {
    for (let count = 0; count < 2; count++)
      isPageAgain(await post(site, 'on', await formWith(site, 'on', 'elsewhere')));
    assert.equal(site.nginx.errorLog().match(/solved on another host than that of the request/g)?.length, 1);
  });
  await t.test('a state that is not ours, which leads to the root', async () => {
    const answer = await post(site, 'on', { state: 'x.y', 'cf-turnstile-response': 'good' });
    isPageAgain(answer);
    const [payload = ''] = stateOf(answer.body).split('.');
    assert.match(Buffer.from(payload, 'base64url').toString(), /\n\/$/);
  });
  await t.test('a form that is too long', async () => {
    const form = { ...(await formWith(site, 'on', 'good')), padding: 'x'.repeat(limits.captchaBodyBytes) };
    isPageAgain(await post(site, 'on', form));
    isPageAgain(await postInChunks(site, 'on', form));
  });
});

test('the path of answers', async (t) => {
  const site = await startSite(t);
  const { port } = site.nginx;
  const held = async () => Number(await (await fetch(`http://127.0.0.1:${port}/held`)).text());
  await t.test('says that it takes POST alone', async () => {
    const bytes = await exchangeBytes(port, formRequest('GET', 'on', '', 'Connection: close'));
    assert.match(bytes, /^HTTP\/1.1 405 .*\r\nX-Serves: true\r\n.*Allow: POST\r\n/s);
  });
  await t.test('ends in time when the provider, or the visitor, says nothing', async () => {
    const slow = exchangeBytes(port, request('POST', '/.guard/captcha?policy=on', 'Content-Length: 10'));
    // Repeats the request, because a worker that stalls for a second cuts the response.
    await until(async () => {
      const answer = await post(site, 'on', await formWith(site, 'on', 'silent'));
      if (Number.isNaN(answer.status)) return false;
      isPageAgain(answer);
      return true;
    }, 'the page again');
    assert.equal(await slow, '');
    assert.equal(await held(), 0);
  });
  await t.test('holds a visitor no longer that leaves', async () => {
    const body = new URLSearchParams(await formWith(site, 'on', 'silent')).toString();
    const asked = site.provider.forms.length;
    const socket = await open(port);
    socket.write(formRequest('POST', 'on', body));
    while (site.provider.forms.length === asked) await turn();
    assert.equal(await held(), 1);
    socket.destroy();
    while ((await held()) !== 0) await turn();
  });
});
