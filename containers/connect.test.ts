import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExternalError } from '../platform/errors.ts';
import { connect, type Open } from './connect.ts';
import type { Containers } from './containers.ts';

const both = { exists: (path: string) => /docker\.sock$/.test(path), read: () => undefined };
const none = { exists: () => false, read: () => undefined };
const env = { HOME: '/home/me', XDG_RUNTIME_DIR: '/run/user/1' };

async function complaint(work: Promise<unknown>): Promise<ExternalError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ExternalError);
  assert.equal(error.exitCode, 3);
  return error;
}

test('uses the first container runtime that responds', async () => {
  const asked: string[] = [];
  const open: Open = async (endpoint) => {
    asked.push(endpoint.origin);
    if (asked.length === 1) throw new Error('connect ECONNREFUSED');
    return { runtime: { origin: endpoint.origin } } as Containers;
  };
  assert.equal((await connect(env, both, open)).runtime.origin, '/run/user/1/docker.sock');
  assert.deepEqual(asked, ['/var/run/docker.sock', '/run/user/1/docker.sock']);
});

test('lists container runtimes that do not respond, with their errors', async () => {
  const error = await complaint(connect(env, both, () => Promise.reject(new Error('permission denied'))));
  assert.match(error.failed.output ?? '', /^unix:\/\/\/var\/run\/docker\.sock: permission denied\n/);
  assert.match(error.hint ?? '', /group docker/);
});

test('lists every searched place and what to install when there is no container runtime', async () => {
  const error = await complaint(connect(env, none, () => Promise.reject(new Error('never asked'))));
  assert.match(error.failed.output ?? '', /DOCKER_HOST: not found\n.*\n.*\n\/var\/run\/docker\.sock: not found/);
  assert.match(error.hint ?? '', /install Docker or Podman/);
});

test('reports only an unusable DOCKER_HOST', async () => {
  const error = await complaint(connect({ DOCKER_HOST: 'x://y' }, both, () => Promise.reject(new Error('never'))));
  assert.match(error.failed.output ?? '', /^DOCKER_HOST is "x:\/\/y"/);
});
