import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../program/command.ts';
import { plain } from '../program/paint.ts';
import { runCaptured } from '../testing/captured.ts';
import { type CleanupResult, cleanupCommand } from './cleanup.ts';

const { text } = cleanupCommand as unknown as Command<unknown, CleanupResult>;

test('lists what it removed by kind and name', () => {
  const removed = [
    { kind: 'container', id: '1', name: 'request-guard-caddy-1' },
    { kind: 'image', id: '2', name: 'x\u001b[2J' },
  ] as const;
  assert.equal(text({ removed }, plain, {}), 'removed container request-guard-caddy-1\nremoved image x\\x1b[2J');
  assert.equal(text({ removed: [] }, plain, {}), 'nothing to remove');
});

test('fails with status 3 without a container runtime', async () => {
  const { status, stderr } = await runCaptured(['cleanup'], { env: { DOCKER_HOST: 'unix:///nonexistent' } });
  assert.equal(status, 3);
  assert.match(stderr, /no container runtime responds/);
});
