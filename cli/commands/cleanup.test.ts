import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CleanupResult } from '../../containers/cleanup.ts';
import type { Command } from '../program/command.ts';
import { plain } from '../program/paint.ts';
import { runCaptured } from '../testing/captured.ts';
import { definition } from './cleanup.ts';

const { text, notes, exitCode } = definition as unknown as Command<unknown, CleanupResult>;

test('lists what it removed, and which images it kept, by name', () => {
  const removed = [
    { kind: 'container', id: '1', name: 'request-guard-caddy-1' },
    { kind: 'image', id: '2', name: 'x\u001b[2J' },
  ] as const;
  assert.equal(
    text({ removed, kept: [], failures: [] }, plain, {}),
    'removed container request-guard-caddy-1\nremoved image x\\x1b[2J',
  );
  assert.equal(text({ removed: [], kept: [], failures: [] }, plain, {}), 'nothing to remove');
  const kept = [{ kind: 'image', id: 'mine:1', name: 'mine:1' }] as const;
  assert.equal(
    text({ removed: [], kept, failures: [] }, plain, {}),
    'nothing to remove\nkept image mine:1: the name is not one of ours',
  );
});

test('lists in a dry run what it would remove, with the ports', () => {
  const labels = { 'request-guard.sandbox': 's1' };
  const found = [
    { kind: 'container', id: '1', name: 'request-guard-gate-s1', ports: [8080, 8081], labels },
    { kind: 'network', id: '2', name: 'request-guard-s1', labels },
  ] as const;
  assert.equal(
    text({ removed: [], found, kept: [], failures: [] }, plain, {}),
    'would remove container request-guard-gate-s1 (ports 8080, 8081)\nwould remove network request-guard-s1',
  );
  assert.equal(text({ removed: [], found: [], kept: [], failures: [] }, plain, {}), 'nothing to remove');
});

test('refuses --images with the name of a sandbox', async () => {
  const { status, stderr } = await runCaptured(['cleanup', '8080', '--images'], { env: { DOCKER_HOST: 'unix:///x' } });
  assert.equal(status, 2);
  assert.match(stderr, /--images and the name of a sandbox are mutually exclusive/);
});

test('fails with status 3 after a refused removal, and lists both', () => {
  const removed = [{ kind: 'network', id: '1', name: 'x' }] as const;
  const failures = [{ message: 'removing the container 2 failed', reason: 'driver\u001b[2J' }];
  const result = { removed, kept: [], failures };
  assert.equal(text(result, plain, {}), 'removed network x');
  assert.equal(notes?.(result, plain), 'error: removing the container 2 failed: driver\\x1b[2J');
  assert.equal(exitCode?.(result), 3);
  assert.equal(text({ ...result, removed: [] }, plain, {}), '');
});

test('fails with status 3 without a container runtime', async () => {
  const { status, stderr } = await runCaptured(['cleanup'], { env: { DOCKER_HOST: 'unix:///nonexistent' } });
  assert.equal(status, 3);
  assert.match(stderr, /no container runtime responds/);
});
