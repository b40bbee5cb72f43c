import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerValue, longestBody, parseResponse } from './response.ts';

const ok = 'HTTP/1.1 200 OK\r\n';

/** Parses a text. Returns the response and its length, or the result of an incomplete or malformed text. */
function parse(text: string, method = 'GET', ended = false) {
  const parsed = parseResponse(text, method, ended);
  return parsed.kind === 'done' ? { ...parsed.response, length: parsed.length } : parsed;
}

test('ends a body at its length and keeps later bytes out of it', () => {
  const text = `${ok}Content-Length: 3\r\nX-A: \xe9 b\r\n\r\nabc`;
  const response = parse(`${text}HTTP/1.1`);
  assert.ok(response.kind === 'response');
  assert.equal(response.length, text.length);
  assert.deepEqual([response.body, response.last], ['abc', false]);
  assert.equal(headerValue(response, 'x-a'), '\xe9 b');
});

test('joins the chunks of a body', () => {
  const response = parse(`${ok}Transfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n`);
  assert.ok(response.kind === 'response');
  assert.equal(response.body, 'abc0123456789');
});

test('reads a body without length up to the end of the connection', () => {
  assert.deepEqual(parse(`${ok}\r\nabc`), { kind: 'more' });
  const response = parse(`${ok}\r\nabc`, 'GET', true);
  assert.ok(response.kind === 'response');
  assert.deepEqual([response.body, response.last], ['abc', true]);
});

test('expects no body for HEAD, 204 and 304, regardless of the headers', () => {
  const length = 'Content-Length: 3\r\n\r\n';
  for (const [text, method] of [
    [`${ok}${length}`, 'HEAD'],
    [`HTTP/1.1 204 No Content\r\n${length}`, 'GET'],
    [`HTTP/1.1 304 Not Modified\r\n${length}`, 'GET'],
  ] as const) {
    const response = parse(text, method);
    assert.ok(response.kind === 'response', text);
    assert.equal(response.body, '');
  }
});

test('skips interim responses', () => {
  const response = parse(`HTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  assert.ok(response.kind === 'response');
  assert.deepEqual([response.status, response.last], [200, true]);
});

test('waits for more bytes when a response is incomplete at any offset', () => {
  const whole = `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
  for (let end = 0; end < whole.length; end++) assert.equal(parse(whole.slice(0, end)).kind, 'more', `cut at ${end}`);
});

test('refuses malformed and oversized responses', () => {
  const cases = [
    'SSH-2.0-x\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 999 X\r\n\r\n',
    `${ok}Content-Length: -1\r\n\r\n`,
    `${ok}Content-Length: ${longestBody + 1}\r\n\r\n`,
    `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${ok}Transfer-Encoding: chunked\r\n\r\nfffffff\r\n`,
    `${ok}A: ${'x'.repeat(70_000)}`,
    `${ok}\r\n${'x'.repeat(longestBody + 1)}`,
  ];
  for (const text of cases) assert.equal(parse(text).kind, 'malformed', text.slice(0, 60));
});

test('treats an endless response as complete after enough bytes, and not before', () => {
  const texts = [
    `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n8\r\nc`,
    `${ok}Content-Length: 9\r\n\r\nabc`,
    `${ok}\r\nabc`,
  ];
  for (const text of texts) {
    assert.equal(parseResponse(text, 'GET', false, 4).kind, 'more');
    const parsed = parseResponse(text, 'GET', false, 3);
    assert.ok(parsed.kind === 'done');
    assert.deepEqual([parsed.response.body, parsed.response.last, parsed.response.isCut], ['abc', true, true]);
    assert.equal(parsed.length, text.length);
  }
  assert.equal(parseResponse(ok, 'GET', false, 0).kind, 'more', 'the head must be complete');
  const whole = parseResponse(`${ok}Content-Length: 3\r\n\r\nabc`, 'GET', false, 1);
  assert.ok(whole.kind === 'done' && whole.response.isCut === undefined);
});

test('refuses interim responses, chunk sizes and extensions that never end', () => {
  const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
  const floods: Readonly<Record<string, string>> = {
    'interim responses of more than 65536 bytes': 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100_000),
    'a response of more than 4325376 bytes': `${chunked}1;${'x'.repeat(2 * longestBody + 128 * 1024)}`,
    'a bad chunk size': `${chunked}-6\r\nabcdef`,
  };
  for (const [reason, text] of Object.entries(floods)) assert.deepEqual(parse(text), { kind: 'malformed', reason });
});
