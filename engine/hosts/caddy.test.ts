import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receives, receivesHeader } from './caddy.ts';
import { asSent } from './received.ts';

/**
 * Recorded from Caddy 2.11.9: the raw target, and the target that the backend received or the status of the refusal.
 */
const recorded: readonly (readonly [string, string | number])[] = [
  ['/', '/'],
  ['', 400],
  ['*', '*'],
  ['**', 400],
  ['*?x', 400],
  ['x', 400],
  ['?a', 400],
  ['/a b', 400],
  ['/ ', 400],
  [' /', 400],
  ['/a\tb', 400],
  ['/a\rb', 400],
  ['/a\x00b', 400],
  ['/a\x7fb', 400],
  ['/?\x01', 400],
  ['/\xc3\xa9', '/%C3%A9'],
  ['/\xff', '/%FF'],
  ['/?\xc3\xa9', '/?\xc3\xa9'],
  ['/%zz', 400],
  ['/%', 400],
  ['/%4', 400],
  ['/%u002e', 400],
  ['/?%zz', '/?%zz'],
  ['/%00', '/%00'],
  ['/%2Eenv?x=%zz', '/%2Eenv?x=%zz'],
  ['/a%2f..%2f.env', '/a%2f..%2f.env'],
  ['/sub/../.env', '/sub/../.env'],
  ['//.env', '//.env'],
  ['/./a//b/', '/./a//b/'],
  ['/#x', '/%23x'],
  ['/a#b?c#d', '/a%23b?c#d'],
  ['/.git\\config', '/.git%5Cconfig'],
  ['/a"b<c>`^{|}', '/a%22b%3Cc%3E%60%5E%7B%7C%7D'],
  ["/a'()*!;:@&=+$,[]~", "/a'()*!;:@&=+$,[]~"],
  ["/a'\x80", '/a%27%80'],
  ['/%2f\x80%2e', '//%80.'],
  ['/?', '/?'],
  ['/a??', '/a??'],
  ['/%2a', '/%2a'],
];

/** The same for targets that begin with a scheme, or with an invalid one. */
const absolute: readonly (readonly [string, string | number])[] = [
  ['http://evil.example/.env', '/.env'],
  ['HTTP://h:80/x', '/x'],
  ['ftp://h/x', '/x'],
  ['http://h', '/'],
  ['http://h?x', '/?x'],
  ['http:///x', '/x'],
  ['http://h//x', '//x'],
  ['http://h/#x', '/%23x'],
  ['http://h/%zz', 400],
  ['http://h#/x', 400],
  ['http://h\\x/y', 400],
  ['http://h\x80/x', 400],
  ['http://h%41/x', 400],
  ['http://h%25x/', '/'],
  ['http://h<>/x', 400],
  ['http://h|x/a', 400],
  ['http://u:p@h/x', '/x'],
  ['http://a@b@c/x', '/x'],
  ['http://u%zz@h/', 400],
  ['http://us"er@h/x', 400],
  ['http://@/x', '/x'],
  ['http://h:bad/x', 400],
  ['http://h:/x', '/x'],
  ['http://:80/x', '/x'],
  ['http://h:80:90/x', 400],
  ['a://h:80:90/x', '/x'],
  ['http://../x', 400],
  ['http://...:80/x', 400],
  ['http://[::1]/x', '/x'],
  ['http://[::1/x', 400],
  ['http://[1.2.3.4]/x', 400],
  ['http://[fe80::1%25en0]/x', '/x'],
  ['http://[fe80::1%25e%20n]/x', 400],
  ['http://[fe80::1%en0]/x', 400],
  ['http://[::1]x/', 400],
  ['http:/x', '/x'],
  ['http:x', 'x'],
  ['http:', '/'],
  ['a:.env?b', '.env?b'],
  ['a:%zz', '%zz'],
  ['example.com:443', '443'],
  ['1http://h/x', 400],
  ['a_b://h/x', 400],
  ['://h/x', 400],
];

describe('receives, of Caddy', () => {
  for (const [target, outcome] of [...recorded, ...absolute])
    it(`is as recorded for ${JSON.stringify(target)}`, () => {
      const expected =
        typeof outcome === 'number'
          ? { kind: 'refused', status: outcome }
          : { kind: 'passed', target, backend: outcome };
      assert.partialDeepStrictEqual(receives(asSent({ target })), expected);
    });

  it('passes a head of 20,494 bytes and refuses a longer one', () => {
    const headers = 'GET  HTTP/1.1\r\nHost: host.invalid\r\n\r\n'.length;
    const longest = `/${'a'.repeat(20_494 - headers - 1)}`;
    assert.equal(receives(asSent({ target: longest })).kind, 'passed');
    assert.deepEqual(receives(asSent({ target: `${longest}a` })), { kind: 'refused', status: 431 });
  });

  it('refuses a malformed target for its form until its line is too long', () => {
    const line = 'GET  HTTP/1.1\r\n'.length;
    const longest = `/${'a'.repeat(20_480 - line - '/%zz'.length)}%zz`;
    assert.deepEqual(receives(asSent({ target: longest })), { kind: 'refused', status: 400 });
    assert.deepEqual(receives(asSent({ target: `/a${longest.slice(1)}` })), { kind: 'refused', status: 431 });
  });
});

describe('headers in Caddy', () => {
  it('are dropped when their name has an underscore or a dot', () => {
    for (const name of ['X_Original_URL', 'X-Original_URL', 'x.y']) assert.equal(receivesHeader(name), false, name);
    for (const name of ['X-Original-URL', 'x~y', 'Host']) assert.equal(receivesHeader(name), true, name);
  });
});
