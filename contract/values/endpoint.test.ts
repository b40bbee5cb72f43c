import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Endpoint, isLoopback, overlaps, parseListen, parseUpstream, reaches } from './endpoint.ts';

const listens: [string, string, number][] = [
  [':2222', '', 2222],
  ['*:2222', '', 2222],
  ['127.0.0.1:9091', '127.0.0.1', 9091],
  ['[::1]:80', '::1', 80],
  ['[0:0::1]:80', '::1', 80],
  ['[::ffff:10.0.0.1]:80', '10.0.0.1', 80],
  ['localhost:0', 'localhost', 0],
  ['LOCALHOST:65535', 'localhost', 65_535],
];
const noListens = [
  '',
  '22',
  ':',
  ':65536',
  ':022',
  ':-1',
  '127.0.0.1',
  '::1:80',
  '[::1]',
  '[10.0.0.1]:80',
  '10.1:80',
  '010.0.0.1:80',
  'example.com:80',
  '[::1%lo]:80',
  ' :80',
];

const upstreams: [string, string, number][] = [
  ['10.0.0.5:22', '10.0.0.5', 22],
  ['DB.internal:5432', 'db.internal', 5432],
  ['my_container:80', 'my_container', 80],
  ['[2001:db8::1]:22', '2001:db8::1', 22],
];
const noUpstreams = [
  ':22',
  '*:22',
  'host',
  'host:0',
  'host:99999',
  '-host:1',
  '1.2.3:80',
  '256.1.1.1:80',
  'a b:80',
  'http://a:80',
  `${'a'.repeat(254)}:80`,
  'unix:',
  'unix:relative.sock',
  'unix:/run/a b.sock',
  `unix:/${'a'.repeat(107)}`,
];

const endpoint = (text: string): Endpoint => parseListen(text) as Endpoint;

describe('parseListen', () => {
  for (const [text, host, port] of listens)
    it(`reads ${text}`, () => assert.deepEqual(parseListen(text), { host, port }));
  for (const text of noListens) it(`refuses "${text}"`, () => assert.equal(parseListen(text), undefined));
});

describe('parseUpstream', () => {
  for (const [text, host, port] of upstreams)
    it(`reads ${text}`, () => assert.deepEqual(parseUpstream(text), { host, port }));
  it('reads the path of a Unix socket', () =>
    assert.deepEqual(parseUpstream('unix:/run/app.sock'), { path: '/run/app.sock' }));
  for (const text of noUpstreams)
    it(`refuses "${text.slice(0, 20)}"`, () => assert.equal(parseUpstream(text), undefined));
});

it('takes 127.0.0.0/8, ::1 and localhost for loopback, and nothing else', () => {
  const hosts = ['127.0.0.1', '127.9.9.9', '::1', 'localhost', '', '0.0.0.0', '::', '10.0.0.1', 'example.com'];
  assert.deepEqual(hosts.filter(isLoopback), ['127.0.0.1', '127.9.9.9', '::1', 'localhost']);
});

it('sees when two listeners want the same place', () => {
  const overlap = (a: string, b: string) => overlaps(endpoint(a), endpoint(b));
  assert.equal(overlap(':80', '127.0.0.1:80'), true);
  assert.equal(overlap('[::]:80', '10.0.0.1:80'), true);
  assert.equal(overlap('127.0.0.1:80', '127.0.0.1:80'), true);
  assert.equal(overlap('127.0.0.1:80', '127.0.0.2:80'), false);
  assert.equal(overlap('localhost:80', '127.0.0.1:80'), true);
  assert.equal(overlap('[::1]:80', 'localhost:80'), true);
  assert.equal(overlap('localhost:80', '127.0.0.2:80'), false);
  assert.equal(overlap(':80', ':81'), false);
  assert.equal(overlap(':0', ':0'), false);
});

it('sees when a connection would arrive at a listener', () => {
  const reached = (to: string, from: string) => reaches(parseUpstream(to) as Endpoint, endpoint(from));
  assert.equal(reached('127.0.0.1:80', '0.0.0.0:80'), true);
  assert.equal(reached('127.0.0.1:80', '[::]:80'), true);
  assert.equal(reached('localhost:80', '[::1]:80'), true);
  assert.equal(reached('[::1]:80', '0.0.0.0:80'), false);
  assert.equal(reached('127.0.0.2:80', '127.0.0.1:80'), false);
  assert.equal(reached('127.0.0.1:80', ':81'), false);
  assert.equal(reached('10.0.0.5:80', ':80'), false);
});
