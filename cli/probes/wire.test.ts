import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Policy, Response } from '../../contract/policy/schema.ts';
import type { HttpResponse, Reply } from './response.ts';
import { checkBlocked, checkReference, extraTimeoutMsOf, isHoldFallback } from './wire.ts';

function answer(status: number, headers: Record<string, string>, body = ''): HttpResponse {
  const all = { 'cache-control': 'no-store', ...headers };
  return { kind: 'response', status, headers: Object.entries(all), body, last: false };
}

const problems = (reply: Reply, file: object = {}, method = 'GET') =>
  checkBlocked(reply, Response.parse(file), { method, reason: 'block_pattern_match', isWireProbe: true });

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
const page = '<error><code>block_pattern_match</code></error>';

/** A correct response for each mode. */
const good: Record<string, [object, HttpResponse]> = {
  text: [{}, answer(403, plain, 'no')],
  json: [
    { mode: 'json' },
    answer(403, { 'content-type': 'application/json' }, '{"error":{"code":"block_pattern_match"}}'),
  ],
  html: [{ mode: 'html' }, answer(403, { 'content-type': 'text/html; charset=utf-8' }, '<!DOCTYPE html>')],
  xml: [{ mode: 'xml' }, answer(403, { 'content-type': 'application/xml; charset=utf-8' }, page)],
  redirect: [{ mode: 'redirect', redirectUrl: '/away?x=1' }, answer(302, { location: '/away?x=1' })],
  ratelimit: [{ mode: 'ratelimit' }, answer(429, { ...plain, 'retry-after': '300' }, 'later')],
  fake_success: [{ mode: 'fake_success' }, answer(200, {}, 'A=1')],
  captcha: [
    { mode: 'captcha', captcha: { provider: 'captcha-a', siteKey: 'k' } },
    answer(
      403,
      { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" },
      '<div data-sitekey="k">',
    ),
  ],
};

test('accepts a correct response of each mode', () => {
  for (const [mode, [file, reply]] of Object.entries(good)) assert.deepEqual(problems(reply, file), [], mode);
  assert.deepEqual(problems({ kind: 'closed' }, { mode: 'silent_drop' }), []);
});

test('reports a wrong status and a cacheable, missing or truncated response in each mode', () => {
  for (const [mode, [file, reply]] of Object.entries(good)) {
    assert.match(problems({ ...reply, status: 418 }, file).join(), /status 418, expected/, mode);
    const cached = reply.headers.filter(([name]) => name !== 'cache-control');
    assert.match(problems({ ...reply, headers: cached }, file).join(), /cache-control is null/, mode);
    assert.deepEqual(problems({ kind: 'closed' }, file), ['the connection closed without a byte'], mode);
    assert.deepEqual(problems({ kind: 'broken', reason: 'cut', received: '', end: 'closed' }, file), ['cut'], mode);
  }
  assert.deepEqual(problems(answer(403, plain), { mode: 'silent_drop' }), ['expected a close without a byte']);
});

test('reports the faults specific to each mode', () => {
  const wrong: [string, Partial<HttpResponse>, RegExp][] = [
    [
      'text',
      {
        headers: [
          ['cache-control', 'no-store'],
          ['content-type', plain['content-type']],
        ],
      },
      /nosniff/,
    ],
    ['json', { body: '{}' }, /not a JSON error/],
    ['json', { body: 'x' }, /not a JSON error/],
    ['html', { body: 'x' }, /not an HTML page/],
    ['xml', { body: '<error/>' }, /not an XML error/],
    [
      'redirect',
      {
        headers: [
          ['cache-control', 'no-store'],
          ['location', '/'],
        ],
      },
      /location is "\/"/,
    ],
    ['fake_success', { body: '' }, /not a decoy/],
    ['captcha', { body: 'x' }, /no widget/],
  ];
  for (const [mode, change, expected] of wrong) {
    const [file, reply] = good[mode] as [object, HttpResponse];
    assert.match(problems({ ...reply, ...change }, file).join(), expected, mode);
  }
  assert.match(problems(answer(429, plain, 'x'), { mode: 'ratelimit' }).join(), /retry-after is null, expected "300"/);
});

test('compares body, type and headers of the policy', () => {
  const file = { body: 'é', contentType: 'text/x', headers: { 'X-Own': 'v', 'Cache-Control': 'public' } };
  const headers = { ...plain, 'content-type': 'text/x', 'x-own': 'v' };
  assert.deepEqual(problems(answer(403, headers, '\xc3\xa9'), file), []);
  assert.match(problems(answer(403, headers, 'other'), file).join(), /differs from the policy/);
  assert.match(problems(answer(403, { ...headers, 'x-own': 'w' }, '\xc3\xa9'), file).join(), /x-own is "w"/);
});

test('requires the status and no body for HEAD', () => {
  assert.deepEqual(problems(answer(403, plain), {}, 'HEAD'), []);
  assert.match(problems(answer(403, plain, 'x'), {}, 'HEAD').join(), /an unexpected body/);
});

const bomb = (mebibytes: number): string => gzipSync(Buffer.alloc(mebibytes * 1024 * 1024)).toString('latin1');
const gzip = { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' };
const held = { status: 403, body: '403 Forbidden\n' };

test('recognizes modes that hold requests by their first bytes', () => {
  assert.deepEqual(problems(answer(200, gzip, bomb(2)), { mode: 'gzip_bomb', gzipBombMb: 2 }), []);
  assert.match(
    problems(answer(200, gzip, bomb(2)), { mode: 'gzip_bomb', gzipBombMb: 3 }).join(),
    /not end as one of 3/,
  );
  const lying = Buffer.from(bomb(2), 'latin1');
  lying.writeUInt32LE(3 * 1024 * 1024, lying.length - 4);
  const reply = answer(200, gzip, lying.toString('latin1'));
  assert.match(problems(reply, { mode: 'gzip_bomb', gzipBombMb: 3 }).join(), /not a gzip stream/);
  const tarpit = { 'content-type': 'text/plain; charset=utf-8' };
  assert.deepEqual(problems(answer(200, tarpit, '..'), { mode: 'tarpit' }), []);
  assert.match(problems(answer(200, tarpit, '.x'), { mode: 'tarpit' }).join(), /bytes other than its fill byte/);
  assert.deepEqual(problems(answer(502, {}, 'x'), { mode: 'proxy', proxyUrl: 'http://h' }), []);
});

test('recognizes the fallback response past the limit of held requests, which no wire probe accepts', () => {
  const reply = { ...answer(200, plain), ...held };
  const file = { mode: 'tarpit' };
  const request = { method: 'GET', reason: 'block_pattern_match' };
  assert.deepEqual(checkBlocked(reply, Response.parse(file), { ...request, isWireProbe: false }), []);
  assert.match(checkBlocked(reply, Response.parse(file), { ...request, isWireProbe: true }).join(), /status 403/);
  assert.ok(isHoldFallback(reply, Response.parse(file)));
  assert.ok(!isHoldFallback(reply, Response.parse({ mode: 'text' })), 'not a mode that holds requests');
});

test('compares the reference with that of the event, in modes that show it', () => {
  const of = (mode: string, headers: Record<string, string>) =>
    checkReference(answer(403, headers), Response.parse({ mode, proxyUrl: 'http://h' }), '7K3QF2M9TD').join();
  const shown = { 'x-guard-reference': '7K3QF2M9TD' };
  assert.equal(of('html', shown), '');
  assert.match(of('html', {}), /x-guard-reference is null, expected "7K3QF2M9TD"/);
  assert.match(of('html', { 'x-guard-reference': '0000000000' }), /is "0000000000", expected/);
  assert.equal(of('tarpit', {}), '');
  assert.match(of('tarpit', shown), /is "7K3QF2M9TD", expected none/);
  assert.equal(of('proxy', shown), '', 'the honeypot sends any header');
});

test('recognizes the fallback response of mode captcha with its reference', () => {
  const body = '403 Forbidden\nReference: 7K3QF2M9TD\n';
  const reply = answer(403, { ...plain, 'x-guard-reference': '7K3QF2M9TD' }, body);
  const file = { mode: 'captcha', captcha: { provider: 'turnstile', siteKey: 'k' } };
  assert.ok(isHoldFallback(reply, Response.parse(file)));
  assert.ok(
    !isHoldFallback(answer(403, plain, body), Response.parse(file)),
    'a reference that the header does not have',
  );
});

test('allows more time where bodies are inspected, and where a mode delays', () => {
  const extraTimeoutMs = (file: object) => extraTimeoutMsOf(Policy.parse(file));
  const tarpit = { mode: 'tarpit', tarpitDelayMs: 1000 };
  assert.equal(extraTimeoutMs({}), 0);
  assert.equal(extraTimeoutMs({ response: tarpit }), 2000);
  assert.ok(extraTimeoutMs({ checkBody: true }) > 15_000);
  assert.equal(extraTimeoutMs({ checkBody: true, response: tarpit }), extraTimeoutMs({ checkBody: true }) + 2000);
});
