import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Policy } from '../../contract/policy/schema.ts';
import { UsageError } from '../../platform/errors.ts';
import type { TestOptions } from './options.ts';
import { requestOf } from './request.ts';

const formType = ['Content-Type', 'application/x-www-form-urlencoded'];

const read: readonly (readonly [string, TestOptions, object])[] = [
  ['no flag means GET /', {}, { method: 'GET', target: '/', headers: [] }],
  ['an empty path means /', { path: '' }, { method: 'GET', target: '/', headers: [] }],
  ['a path is used verbatim', { path: '/a/../%2e' }, { method: 'GET', target: '/a/../%2e', headers: [] }],
  ['a path may contain its query', { path: '/a?b=c' }, { method: 'GET', target: '/a?b=c', headers: [] }],
  ['-q is the query', { path: '/a', query: 'b=?' }, { method: 'GET', target: '/a?b=?', headers: [] }],
  ['an empty query means no query', { path: '/a', query: '' }, { method: 'GET', target: '/a', headers: [] }],
  ['text is encoded as UTF-8', { path: '/é' }, { method: 'GET', target: '/\xc3\xa9', headers: [] }],
  ['base64 is decoded to bytes', { pathBase64: 'L+n/AA==' }, { method: 'GET', target: '/\xe9\xff\0', headers: [] }],
  ['URL-safe base64 is accepted', { pathBase64: 'L-n_AA' }, { method: 'GET', target: '/\xe9\xff\0', headers: [] }],
  ['-X is the method', { method: 'POST' }, { method: 'POST', target: '/', headers: [] }],
  ['-m is the method', { m: 'purge' }, { method: 'purge', target: '/', headers: [] }],
  [
    'headers keep their order and lose surrounding spaces',
    { header: ['B: x:y ', 'a:', 'B:\t2'] },
    {
      method: 'GET',
      target: '/',
      headers: [
        ['B', 'x:y'],
        ['a', ''],
        ['B', '2'],
      ],
    },
  ],
  [
    'the Host header sets the host',
    { header: ['HOST: a.example'] },
    { method: 'GET', target: '/', headers: [['HOST', 'a.example']], host: 'a.example' },
  ],
  ['--ip sets the peer', { ip: '2001:db8::1' }, { method: 'GET', target: '/', headers: [], ip: '2001:db8::1' }],
  ['an empty --ip means no peer', { ip: '' }, { method: 'GET', target: '/', headers: [] }],
  [
    'a body defaults to a form',
    { body: 'a=é' },
    { method: 'GET', target: '/', headers: [formType], body: 'a=\xc3\xa9' },
  ],
  [
    'a body keeps its given type',
    { body: '{}', header: ['content-type: application/json'] },
    { method: 'GET', target: '/', headers: [['content-type', 'application/json']], body: '{}' },
  ],
  ['an empty body means no body', { body: '' }, { method: 'GET', target: '/', headers: [] }],
];

const refused: readonly (readonly [string, TestOptions])[] = [
  ['conflict', { path: '/a', pathBase64: 'L2E=' }],
  ['conflict', { path: '/a?b', query: 'c' }],
  ['conflict', { method: 'GET', m: 'GET' }],
  ['bad_base64', { pathBase64: '/.env' }],
  ['bad_base64', { pathBase64: 'L2' + '=' }],
  ['bad_method', { method: '' }],
  ['bad_method', { method: 'GET /x' }],
  ['bad_header', { header: ['X-Original-URL'] }],
  ['bad_header', { header: [': /.env'] }],
  ['bad_header', { header: ['X Y: /.env'] }],
  ['bad_address', { ip: '010.0.0.1' }],
  ['bad_address', { ip: '10.0.0.0/8' }],
];

describe('flags of a request', () => {
  for (const [name, options, expected] of read) {
    it(name, () => assert.deepEqual(requestOf(options).request, expected));
  }
  for (const [code, options] of refused) {
    it(`${JSON.stringify(options)}: ${code}`, () => {
      assert.throws(
        () => requestOf(options),
        (error) => {
          assert.ok(error instanceof UsageError);
          assert.ok(error.hint);
          assert.equal(error.code, code);
          return true;
        },
      );
    });
  }
});

describe('notes on a request', () => {
  const all = { checkQuery: true, checkBody: true, exploits: 'off' } as const;
  const none = { checkQuery: false, checkBody: false, exploits: 'off' } as const;
  const notesOf = (options: TestOptions, policy: Pick<Policy, 'checkQuery' | 'checkBody' | 'exploits'> = all) =>
    requestOf(options).notes(policy).join();
  it('name the assumed type of a body', () => assert.match(notesOf({ body: 'x' }), /urlencoded/));
  it('report lost bytes', () => assert.match(notesOf({ query: 'a\ufffd' }), /--path-base64/));
  it('are absent for a plain request', () => assert.equal(notesOf({ path: '/é' }), ''));
  it('name a query and a body that the policy does not inspect', () => {
    assert.match(notesOf({ path: '/a?b' }, none), /^the query is not inspected: checkQuery is off$/);
    assert.match(notesOf({ path: '.env' }, none), /^the target does not begin with a slash: /);
    for (const path of ['/x', '*', 'http://a.example/x']) assert.equal(notesOf({ path }, none), '');
    assert.match(notesOf({ body: 'x' }, none), /^the body is not inspected: checkBody is off$/);
  });
});
