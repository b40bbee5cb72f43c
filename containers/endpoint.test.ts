import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, addressText, isLocal, parseHost } from './endpoint.ts';

const cases: Record<string, Address | undefined> = {
  'unix:///run/x.sock': { kind: 'unix', path: '/run/x.sock' },
  'unix://': { kind: 'unix', path: '/var/run/docker.sock' },
  'tcp://127.0.0.1:2375': { kind: 'tcp', host: '127.0.0.1', port: 2375 },
  'tcp://runtime.example:80': { kind: 'tcp', host: 'runtime.example', port: 80 },
  'tcp://runtime.example': { kind: 'tcp', host: 'runtime.example', port: 2375 },
  'localhost:2375': { kind: 'tcp', host: 'localhost', port: 2375 },
  'tcp://[::1]:2375': { kind: 'tcp', host: '::1', port: 2375 },
  'ssh://me@box': { kind: 'ssh', host: 'box', user: 'me' },
  'ssh://box:2222': { kind: 'ssh', host: 'box', port: 2222 },
  'npipe:////./pipe/docker_engine': undefined,
  'tcp://': undefined,
  'ftp://x': undefined,
};

test('parses addresses of container runtimes like the Docker client', () => {
  for (const [text, expected] of Object.entries(cases)) assert.deepEqual(parseHost(text, false), expected, text);
});

test('uses the TLS default port with TLS', () => {
  assert.deepEqual(parseHost('tcp://runtime.example', true), { kind: 'tcp', host: 'runtime.example', port: 2376 });
});

test('prints an address in its original form', () => {
  for (const text of ['unix:///run/x.sock', 'tcp://[::1]:2375', 'ssh://me@box:2222', 'ssh://box']) {
    assert.equal(addressText(parseHost(text, false) as Address), text);
  }
});

test('treats only sockets and loopback addresses as local', () => {
  const local = ['unix:///x', 'tcp://127.0.0.2:1', 'tcp://localhost:1', 'tcp://[::1]:1'];
  const remote = ['tcp://10.0.0.1:1', 'tcp://docker:2375', 'ssh://localhost', 'tcp://localhost.example:1'];
  for (const text of local) assert.equal(isLocal(parseHost(text, false) as Address), true, text);
  for (const text of remote) assert.equal(isLocal(parseHost(text, false) as Address), false, text);
});
