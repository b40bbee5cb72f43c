import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { pages } from '../../../../contract/policy/pages.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { type Answer, answersIn, exchangeBytes, request } from './wire.ts';

const policies = {
  json: { response: { mode: 'json' } },
  html: { response: { mode: 'html', statusCode: 404 } },
  text: { response: { mode: 'text', headers: { 'x-FROM-guard': 'yes', 'cache-control': 'public' } } },
  own: { response: { mode: 'text', statusCode: 599, body: '100%1 own', contentType: 'text/x-own' } },
  xml: { response: { mode: 'xml' } },
  redirect: { response: { mode: 'redirect', redirectUrl: '/elsewhere?a=1', headers: { 'content-type': 'text/own' } } },
  ratelimit: { response: { mode: 'ratelimit', retryAfterSeconds: 17 } },
  bare: { response: { mode: 'redirect', statusCode: 307 } },
  drop: { response: { mode: 'silent_drop' } },
  found: { response: { mode: 'text', statusCode: 200 } },
} as const;

const filled = (page: string, status: string) =>
  page.replaceAll('[[status]]', status).replace('[[reason]]', 'block_pattern_match').replace('[[reference]]', '');

const wanted: Readonly<Record<string, { status: number; headers: Record<string, string>; body: string }>> = {
  json: { status: 403, headers: { 'Content-Type': 'application/json' }, body: filled(pages.json, '') },
  html: {
    status: 404,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: filled(pages.html, '404 Not Found'),
  },
  text: {
    status: 403,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'X-From-Guard': 'yes',
    },
    body: '403 Forbidden\n',
  },
  own: {
    status: 599,
    headers: { 'Content-Type': 'text/x-own', 'X-Content-Type-Options': 'nosniff' },
    body: '100%1 own',
  },
  xml: { status: 403, headers: { 'Content-Type': 'application/xml; charset=utf-8' }, body: filled(pages.xml, '') },
  redirect: { status: 302, headers: { Location: '/elsewhere?a=1', 'Content-Type': 'text/own' }, body: '' },
  bare: { status: 307, headers: { Location: '/' }, body: '' },
  ratelimit: {
    status: 429,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', 'Retry-After': '17' },
    body: '429 Too Many Requests\n',
  },
};

const sorted = ({ status, headers, body }: Answer) => ({ status, headers: headers.toSorted(), body });

function expected(name: string, isHead: boolean) {
  const { status, headers, body } = wanted[name] ?? assert.fail(name);
  const all = { ...headers, 'Cache-Control': 'no-store', 'Content-Length': String(body.length) };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}`);
  return { status, headers: lines.toSorted(), body: isHead ? '' : body };
}

async function noErrors({ errorLog }: Nginx) {
  assert.doesNotMatch(errorLog(), /\[(?:warn|error|crit|alert|emerg)\]/);
}

test('modes whose body is known', async (t) => {
  const nginx = await startNginx(t, { policies });
  for (const name of Object.keys(wanted)) {
    await t.test(`${name}: GET, HEAD and a POST with a body share a connection`, async () => {
      const path = `/${name}/.env`;
      const raw =
        request('HEAD', path) +
        request('POST', path, 'Content-Length: 19') +
        'GET /x HTTP/1.1\r\n\r\n' +
        request('POST', path, 'Transfer-Encoding: chunked') +
        '3\r\nabc\r\n0\r\n\r\n' +
        request('GET', path, 'Connection: close');
      const methods = ['HEAD', 'POST', 'POST', 'GET'];
      const answers = answersIn(await exchangeBytes(nginx.port, raw), ...methods);
      assert.deepEqual(
        answers.map(sorted),
        methods.map((method) => expected(name, method === 'HEAD')),
      );
    });
  }

  await t.test('conditions of the request do not replace a response with status 200', async () => {
    for (const condition of [
      'If-None-Match: *',
      'If-Match: "x"',
      'If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT',
    ]) {
      const bytes = await exchangeBytes(nginx.port, request('GET', '/found/.env', condition, 'Connection: close'));
      const [answer] = answersIn(bytes, 'GET');
      assert.deepEqual([answer?.status, answer?.body], [200, '200 OK\n'], condition);
    }
  });

  await t.test('a client that expects 100 Continue gets the response instead', async () => {
    const posted = request('POST', '/json/.env', 'Expect: 100-continue', 'Content-Length: 3');
    const bytes = await exchangeBytes(nginx.port, `${posted}abc${request('GET', '/text/.env', 'Connection: close')}`);
    assert.doesNotMatch(bytes, /100 Continue/);
    const statuses = answersIn(bytes, 'POST', 'GET').map(({ status }) => status);
    assert.deepEqual(statuses, [403, 403]);
  });

  await t.test('silent_drop sends no byte, and does not wait for a body', async () => {
    assert.equal(await exchangeBytes(nginx.port, request('GET', '/drop/.env')), '');
    assert.equal(await exchangeBytes(nginx.port, request('POST', '/drop/.env', 'Content-Length: 10')), '');
  });

  await t.test('on HTTP/2 silent_drop resets the stream alone', async () => {
    const session = connect(`http://127.0.0.1:${nginx.http2Port}`);
    const dropped = session.request({ ':path': '/drop/.env' });
    const code = await new Promise((resolve) => dropped.on('error', () => resolve(dropped.rstCode)));
    assert.notEqual(code, 0);
    const answered = session.request({ ':path': '/json/.env' });
    const status = await new Promise((resolve) => answered.on('response', (head) => resolve(head[':status'])));
    session.destroy();
    assert.equal(status, 403);
  });

  await noErrors(nginx);
});
