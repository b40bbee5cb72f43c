import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { addressText } from './endpoint.ts';
import { type Files, locate } from './locate.ts';

function files(contents: Record<string, string>): Files {
  return { exists: (path) => path in contents, read: (path) => contents[path] };
}

/** Returns the origins and addresses that `locate` finds, in its order, or its error message. */
function found(env: Record<string, string>, contents: Record<string, string> = {}): string | string[] {
  const located = locate({ HOME: '/home/me', ...env }, files(contents));
  if (!located.ok) return located.message;
  return located.endpoints.map(({ origin, address, tls }) => `${origin} ${addressText(address)}${tls ? ' tls' : ''}`);
}

const contextId = createHash('sha256').update('far').digest('hex');
const meta = `/home/me/.docker/contexts/meta/${contextId}/meta.json`;
const config = '/home/me/.docker/config.json';
const far = { [meta]: JSON.stringify({ Endpoints: { docker: { Host: 'ssh://me@far' } } }) };

test('uses only DOCKER_HOST when it is set', () => {
  const env = { DOCKER_HOST: 'tcp://runtime:2375', DOCKER_CONTEXT: 'far' };
  assert.deepEqual(found(env, { ...far, '/var/run/docker.sock': '' }), ['DOCKER_HOST tcp://runtime:2375']);
});

test('reads the certificates of DOCKER_CERT_PATH with DOCKER_TLS_VERIFY', () => {
  const env = { DOCKER_HOST: 'tcp://runtime', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' };
  const located = locate(env, files({ '/certs/ca.pem': 'CA', '/certs/cert.pem': 'CERT', '/certs/key.pem': 'KEY' }));
  assert.ok(located.ok);
  assert.deepEqual(located.endpoints[0]?.tls, { ca: 'CA', cert: 'CERT', key: 'KEY', verify: true });
  assert.deepEqual(located.endpoints[0]?.address, { kind: 'tcp', host: 'runtime', port: 2376 });
});

test('reports an invalid DOCKER_HOST', () => {
  assert.match(found({ DOCKER_HOST: 'pigeon://x' }) as string, /DOCKER_HOST is "pigeon:\/\/x": expected unix/);
});

test('prefers the context of the environment over the current one', () => {
  assert.deepEqual(found({ DOCKER_CONTEXT: 'far' }, { ...far, [config]: '{"currentContext":"near"}' }), [
    'context far ssh://me@far',
  ]);
});

test('finds the current context by its hash', () => {
  assert.deepEqual(found({}, { ...far, [config]: '{"currentContext":"far"}' }), ['context far ssh://me@far']);
});

test('reports a missing context', () => {
  const sockets = { '/var/run/docker.sock': '' };
  assert.equal(found({ DOCKER_CONTEXT: 'gone' }, sockets), 'there is no Docker context gone');
});

test('uses the default sockets for the default context and for a broken configuration', () => {
  const sockets = { '/var/run/docker.sock': '' };
  for (const text of ['{"currentContext":"default"}', '{}', 'broken', 'null']) {
    assert.deepEqual(found({}, { ...sockets, [config]: text }), ['/var/run/docker.sock unix:///var/run/docker.sock']);
  }
});

test('tries sockets in order: system, rootless, desktop, Podman', () => {
  const paths = [
    '/run/podman/podman.sock',
    '/run/user/1/podman/podman.sock',
    '/home/me/.docker/desktop/docker.sock',
    '/home/me/.docker/run/docker.sock',
    '/run/user/1/docker.sock',
    '/var/run/docker.sock',
  ];
  const all = Object.fromEntries(paths.map((path) => [path, '']));
  const expected = paths.toReversed().map((path) => `${path} unix://${path}`);
  assert.deepEqual(found({ XDG_RUNTIME_DIR: '/run/user/1' }, all), expected);
});

test('treats CONTAINER_HOST like DOCKER_HOST', () => {
  assert.deepEqual(found({ CONTAINER_HOST: 'unix:///p.sock' }), ['CONTAINER_HOST unix:///p.sock']);
});

test('returns an empty list when there is no container runtime', () => assert.deepEqual(found({}), []));
