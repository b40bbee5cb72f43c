import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receives, receivesHeader } from './nginx.ts';
import { asSent } from './received.ts';

/**
 * Recorded from nginx 1.22.1: the raw target, and the targets that guard and backend receive or the status of the
 * refusal.
 */
const recorded: readonly (readonly [string, number | string, string?])[] = [
  ['/', '/'],
  ['', 400],
  ['*', 400],
  ['x', 400],
  ['?a', 400],
  ['/a b', 400],
  ['/ ', '/'],
  [' /a', '/a'],
  ['/a\tb', 400],
  ['/a\rb', 400],
  ['/a\x00b', 400],
  ['/a\x7fb', 400],
  ['/?\x01', 400],
  ['/\xc3\xa9', '/\xc3\xa9'],
  ['/\xff', '/\xff'],
  ['/%zz', 400],
  ['/%', 400],
  ['/%4', 400],
  ['/%u002e', 400],
  ['/?%zz', '/?%zz'],
  ['/%00', 400],
  ['/?%00', '/?%00'],
  ['/%2Eenv?x=%zz', '/%2Eenv?x=%zz'],
  ['/a%2f..%2f.env', '/a%2f..%2f.env'],
  ['/sub/../.env', '/sub/../.env'],
  ['/../x', 400],
  ['/..%2fx', 400],
  ['/a/../../x', 400],
  ['/a//../../x', 400],
  ['/.%2e/x', 400],
  ['/%252e%252e/x', '/%252e%252e/x'],
  ['/..', 400],
  ['/a/..', '/a/..'],
  ['/..a/x', '/..a/x'],
  ['/..%23/../x', '/..%23/../x'],
  ['/..;/x', '/..;/x'],
  ['/..?x', 400],
  ['/..#x', 400],
  ['//.env', '//.env'],
  ['/./a//b/', '/./a//b/'],
  ['/#x', '/#x'],
  ['/a#b?c#d', '/a#b?c#d'],
  ['/#%zz', '/#%zz'],
  ['/a?%zz#/../..', '/a?%zz#/../..'],
  ['/.git\\config', '/.git\\config'],
  ['\\x', 400],
  ['/\\..\\..\\x', '/\\..\\..\\x'],
  ['/a"b<c>`^{|}', '/a"b<c>`^{|}'],
  ['/?', '/?'],
  ['/a??', '/a??'],
  ['/a+b', '/a+b'],
  ['http://evil.example/.env', '/.env'],
  ['HTTP://h:80/x', '/x'],
  ['ftp://h/x', '/x'],
  ['http://h', '/'],
  ['http://h/', '/'],
  ['http://h?x', '?x', '/?x'],
  ['http://h?', '?', '/'],
  ['http://h?x#y', '?x#y', '/?x'],
  ['http://h#x', 400],
  ['http:///x', 400],
  ['http://h//x', '//x'],
  ['http://h/../x', 400],
  ['http://h/%zz', 400],
  ['http://h\\x/y', 400],
  ['http://h\x80/x', 400],
  ['http://h%41/x', 400],
  ['http://h_/x', 400],
  ['http://u:p@h/x', 400],
  ['http://h:bad/x', 400],
  ['http://h:/x', '/x'],
  ['http://:80/x', 400],
  ['http://h:80:90/x', 400],
  ['http://../x', 400],
  ['http://./x', 400],
  ['http://a..b/x', 400],
  ['http://a./x', '/x'],
  ['http://.a/x', '/x'],
  ['http://[::1]/x', '/x'],
  ['http://[::1/x', 400],
  ['http://[a!$]/x', '/x'],
  ['http://[]/x', '/x'],
  ['http:/x', 400],
  ['http:x', 400],
  ['http:', 400],
  ['example.com:443', 400],
  ['1http://h/x', 400],
  ['a_b://h/x', 400],
  ['x+y-z.1://h/x', '/x'],
  ['://h/x', 400],
];

describe('receives, of nginx', () => {
  for (const [target, outcome, backend] of recorded)
    it(`is as recorded for ${JSON.stringify(target)}`, () => {
      const expected =
        typeof outcome === 'number'
          ? { kind: 'refused', status: outcome }
          : { kind: 'passed', target: outcome, backend: backend ?? outcome };
      assert.partialDeepStrictEqual(receives(asSent({ target })), expected);
    });

  it('passes a line of 32 KiB and refuses a longer one', () => {
    const longest = `/${'a'.repeat(32 * 1024 - 'GET / HTTP/1.1\r\n'.length)}`;
    assert.equal(receives(asSent({ target: longest })).kind, 'passed');
    assert.deepEqual(receives(asSent({ target: `${longest}a` })), { kind: 'refused', status: 414 });
    assert.deepEqual(receives(asSent({ target: longest, method: 'HEAD' })), { kind: 'refused', status: 414 });
  });

  it('refuses a byte that it does not take before it finds the line too long', () => {
    const long = 'a'.repeat(33_000);
    assert.deepEqual(receives(asSent({ target: `/\x01${long}` })), { kind: 'refused', status: 400 });
    assert.deepEqual(receives(asSent({ target: `/${long}\x01` })), { kind: 'refused', status: 414 });
  });

  it('refuses the methods that nginx refuses', () => {
    const refusals = { get: 400, '*': 400, TRACE: 405, CONNECT: 405 };
    for (const [method, status] of Object.entries(refusals))
      assert.deepEqual(receives(asSent({ target: '/', method })), { kind: 'refused', status }, method);
    for (const method of ['HEAD', 'PROPFIND', 'A_B-C'])
      assert.equal(receives(asSent({ target: '/', method })).kind, 'passed');
  });
});

describe('headers in nginx', () => {
  it('are dropped when their name has anything but letters, digits and dashes', () => {
    for (const name of ['X_Original_URL', 'x.y', 'x~y', 'x!']) assert.equal(receivesHeader(name), false, name);
    for (const name of ['X-Original-URL', 'Host', 'x1']) assert.equal(receivesHeader(name), true, name);
  });
});
