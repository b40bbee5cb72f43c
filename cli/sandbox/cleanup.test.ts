import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanup } from './cleanup.ts';
import type { Containers, Item } from './containers.ts';

/** A container runtime with one item of each kind. Records the requests in order. */
function runtime() {
  const asked: string[] = [];
  const containers = {
    list: async (kind: Item['kind'], label: string, value?: string) => {
      asked.push(`list ${kind} ${label} ${value}`);
      return [{ kind, id: `${kind}-id`, name: `${kind}-name` }];
    },
    remove: async ({ id }: Pick<Item, 'id'>) => void asked.push(`remove ${id}`),
  } as unknown as Containers;
  return { containers, asked };
}

test('removes containers first, then networks, and images only on request, by a separate label', async () => {
  const { containers, asked } = runtime();
  const removed = await cleanup(containers, true);
  assert.deepEqual(asked, [
    'list container request-guard.sandbox undefined',
    'remove container-id',
    'list network request-guard.sandbox undefined',
    'remove network-id',
    'list image request-guard.image undefined',
    'remove image-id',
  ]);
  assert.deepEqual(
    removed.map(({ kind }) => kind),
    ['container', 'network', 'image'],
  );
});

test('keeps images by default', async () => {
  const removed = await cleanup(runtime().containers, false);
  assert.equal(removed.length, 2);
});
