import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asSent } from './received.ts';
import { receives, receivesHeader } from './traefik.ts';

/** Recorded from Traefik: the raw target, the target for the guard and, if different, the target for the backend. */
const passed: readonly (readonly [string, string, string?])[] = [
  ['/', '/'],
  ['/sub/../.env', '/.env'],
  ['/./.env', '/.env'],
  ['//.env', '/.env'],
  ['/..', '/'],
  ['/..?x', '/?x'],
  ['/a/', '/a/'],
  ['/a//', '/a/'],
  ['/a/.', '/a'],
  ['/a/%2e%2e', '/'],
  ['/a/%2E%2e/', '/'],
  ['/%2Eenv', '/.env'],
  ['/%7Ea/./b/', '/~a/b/'],
  ['/a%2f..%2f.env', '/a%2F..%2F.env'],
  ['/a%2F%2e%2e/b', '/a%2F../b'],
  ['/%2f%2F../a', '/%2F%2F../a'],
  ['/%25', '/%25'],
  ['/a%00', '/a%00'],
  ['/a%23b', '/a%23b'],
  ['/.git\\config', '/.git%5Cconfig'],
  ['/\xc3\xa9', '/%C3%A9'],
  ['/a%c3\xa9', '/a%C3%A9'],
  ["/!'()*[]", "/!'()*[]"],
  ['/!\'()*[]"<>', '/%21%27%28%29%2A%5B%5D%22%3C%3E'],
  ['/a;b', '/a;b'],
  ['/a?', '/a?'],
  ['/a??', '/a??'],
  ['/?x=%zz', '/?x=%zz'],
  ['/a?b#c', '/a?b#c'],
  ['/x;y?a;b=1#c;d', '/x;y?a;b=1#c;d', '/x;y?a&b=1#c&d'],
  ['http://other.example/a/../b', '/b'],
  ['http://h', '/'],
  ['http://h?x', '/?x'],
  ['http://u:p@h/x', '/x'],
  ['a:/x', '/x'],
  ['http:foo', 'foo'],
  ['a:b/../c', 'b/../c'],
  ['a:b?', 'b?'],
  ['a:b?x;y', 'b?x;y', 'b?x&y'],
  ['a:b?%', 'b?%', 'b'],
  ['a:b?z=%zz&y=1+2&c=%41', 'b?z=%zz&y=1+2&c=%41', 'b?c=A&y=1+2'],
  ['a:b:?%', 'b:?%'],
  ['a:b:c?x;%', 'b:c?x;%', 'b:c?x&%'],
  ['a:b:/%?%', 'b:/%?%', 'b:/%'],
  ['a:b:/x/../y?%', 'b:/x/../y?%'],
  ['a:b://[?%', 'b://[?%', 'b://['],
  ['a:b://h/../x?%;q', 'b://h/../x?%;q', 'b://h/../x?%&q'],
  ['a:1b:c?%', '1b:c?%', '1b:c'],
  ['a::c?%', ':c?%', ':c'],
  ['a:b:c%zz?%', 'b:c%zz?%'],
  ['a:b:c#d?%;', 'b:c#d?%;', 'b:c#d?%&'],
];

const refused: readonly (readonly [string, number])[] = [
  ['', 400],
  ['a', 400],
  ['/a#b', 400],
  ['/a b', 400],
  ['/%zz', 400],
  ['/a\x01', 400],
  ['/\x7f', 400],
  ['http://[/x', 400],
  ['*', 404],
];

describe('Traefik', () => {
  for (const [sent, target, backend = target] of passed)
    it(`passes on ${JSON.stringify(sent)}`, () =>
      assert.partialDeepStrictEqual(receives(asSent({ target: sent })), { kind: 'passed', target, backend }));
  it('refuses a tunnel over HTTP/1', () =>
    assert.deepEqual(receives(asSent({ target: '/x', method: 'CONNECT' })), { kind: 'refused', status: 501 }));
  for (const [sent, status] of refused)
    it(`refuses ${JSON.stringify(sent)}`, () =>
      assert.deepEqual(receives(asSent({ target: sent })), { kind: 'refused', status }));

  it('reads a megabyte of request line and headers', () => {
    assert.equal(receives(asSent({ target: `/${'a'.repeat(1024 * 1024)}` })).kind, 'passed');
    assert.deepEqual(receives(asSent({ target: `/${'a'.repeat(1024 * 1024 + 4096)}` })), {
      kind: 'refused',
      status: 431,
    });
    assert.deepEqual(receives(asSent({ target: '/a', headers: [['A', 'a'.repeat(1024 * 1024 + 4096)]] })), {
      kind: 'refused',
      status: 431,
    });
  });

  it('cleans what it has cleaned no further', () => {
    for (const [, target] of passed)
      if (target.startsWith('/')) assert.partialDeepStrictEqual(receives(asSent({ target })), { target });
  });

  it('sends a query with spaces on over HTTP/2', () => {
    for (const target of ['/?% ', '/? %'])
      assert.partialDeepStrictEqual(receives({ ...asSent({ target }), version: '2' }), { target, backend: target });
  });

  it('drops no header for its name', () => {
    for (const name of ['X_Original_URL', 'x.y', 'X-Forwarded-Uri']) assert.equal(receivesHeader(name), true, name);
  });
});
