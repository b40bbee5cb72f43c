import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../../platform/free-ports.ts';
import type { Context } from '../../program/context.ts';
import { scratch } from '../../testing/scratch.ts';
import { acquire, type Requirements } from './acquire.ts';

test('reports a port in use before it builds an image', async (t) => {
  const port = await freePort();
  const socket = join(scratch(), 'socket');
  const runtime = createHttpServer((_, response) => response.end('{"Arch":"amd64","Version":"1"}')).listen(socket);
  const occupied = createServer().listen(port, '127.0.0.1');
  await Promise.all([once(runtime, 'listening'), once(occupied, 'listening')]);
  t.after(() => {
    runtime.closeAllConnections();
    runtime.close();
    occupied.close();
  });
  const stages: string[] = [];
  const observer = {
    onBuildLine: () => {},
    stage: <T>(name: string, work: () => Promise<T>): Promise<T> => {
      stages.push(name);
      return work();
    },
  };
  const context = { env: { DOCKER_HOST: `unix://${socket}` }, signal: AbortSignal.timeout(60_000) } as unknown;
  const requirements = { action: 'follow', ports: [port] } as unknown as Requirements;
  await assert.rejects(acquire(requirements, observer, context as Context), { code: 'port_in_use' });
  assert.deepEqual(stages, ['runtime']);
});
