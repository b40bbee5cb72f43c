import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanup } from './cleanup.ts';
import type { Containers, Item } from './containers.ts';
import { failed } from './runtime-error.ts';

/** A container runtime with one item of each kind, and further images. Records the requests in order. */
function runtime(...further: readonly Item[]) {
  const asked: string[] = [];
  const containers = {
    list: async (kind: Item['kind'], label: string, value?: string) => {
      asked.push(`list ${kind} ${label} ${value}`);
      const name = kind === 'image' ? 'localhost/request-guard/caddy:1' : `${kind}-name`;
      return [{ kind, id: `${kind}-id`, name }, ...(kind === 'image' ? further : [])];
    },
    remove: async ({ id }: Pick<Item, 'id'>) => void asked.push(`remove ${id}`),
  } as unknown as Containers;
  return { containers, asked };
}

test('removes containers first, then networks, and images only on request, by a separate label', async () => {
  const { containers, asked } = runtime();
  const { removed } = await cleanup(containers, true);
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
  const { removed } = await cleanup(runtime().containers, false);
  assert.equal(removed.length, 2);
});

test('a refused removal or listing is reported, and everything else is removed', async () => {
  const { containers, asked } = runtime();
  const { removed, failures } = await cleanup(
    {
      ...containers,
      list: async (kind, ...labels) => {
        if (kind === 'network') throw failed('listing networks', new Error('busy'));
        const items = await containers.list(kind, ...labels);
        return kind === 'container' ? [{ kind, id: 'stuck', name: 'stuck' }, ...items] : items;
      },
      remove: async (item) => {
        if (item.id === 'stuck') throw failed('removing the container stuck', new Error('driver failed'));
        await containers.remove(item);
      },
    },
    true,
  );
  assert.deepEqual(
    removed.map(({ id }) => id),
    ['container-id', 'image-id'],
  );
  assert.deepEqual(failures, [
    { message: 'removing the container stuck failed', reason: 'driver failed' },
    { message: 'listing networks failed', reason: 'busy' },
  ]);
  assert.deepEqual(
    asked.filter((one) => one.startsWith('remove')),
    ['remove container-id', 'remove image-id'],
  );
});

test('keeps an image with a name of the user, and removes one without a name', async () => {
  const kept = { kind: 'image', id: 'mine:1', name: 'mine:1' } as const;
  const unnamed = { kind: 'image', id: 'sha256:01', name: '01' } as const;
  const { containers, asked } = runtime(kept, unnamed);
  assert.deepEqual((await cleanup(containers, true)).kept, [kept]);
  assert.deepEqual(asked.slice(-2), ['remove image-id', 'remove sha256:01']);
});
