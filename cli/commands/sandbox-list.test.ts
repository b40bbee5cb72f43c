import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '../../containers/containers.ts';
import { detachedLabel, sandboxLabel, targetLabel } from '../../containers/labels.ts';
import { wordsOfAll } from '../completion/words.ts';
import { sandboxesOf } from '../sandbox/session/listed.ts';
import { runCaptured } from '../testing/captured.ts';
import { commands } from './index.ts';

const item = (name: string, labels: Record<string, string>, more: Partial<Item> = {}): Item => ({
  ...{ kind: 'container', id: name, name, labels, created: 1000, isRunning: true, ...more },
});

test('lists each sandbox once, with the port of its gate', () => {
  const isolated = { [sandboxLabel]: 's1' };
  const found = sandboxesOf([
    item('caddy-s1', { ...isolated, [targetLabel]: 'caddy' }),
    item('gate-s1', { ...isolated, [targetLabel]: 'gate' }, { ports: [8080] }),
    item('nginx-s2', { [sandboxLabel]: 's2', [targetLabel]: 'nginx', [detachedLabel]: 'true' }, { ports: [8081] }),
    item('other', {}),
  ]);
  assert.deepEqual(
    found.map(({ name, target, port, isDetached }) => [name, target, port, isDetached]),
    [
      ['caddy-s1', 'caddy', 8080, false],
      ['nginx-s2', 'nginx', 8081, true],
    ],
  );
});

test('fails with status 3 without a container runtime, and with status 2 for further arguments', async () => {
  const env = { DOCKER_HOST: 'unix:///nonexistent' };
  const { status, stderr } = await runCaptured(['sandbox', 'list'], { env });
  assert.equal(status, 3);
  assert.match(stderr, /no container runtime responds/);
  assert.equal((await runCaptured(['sandbox', 'list', 'caddy'], { env })).status, 2);
});

test('is completed like a target', async () => {
  const words = await wordsOfAll(commands);
  assert.ok(words.find(({ word }) => word === 'sandbox')?.values.includes('list'));
});
