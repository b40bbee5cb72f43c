import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanup } from './cleanup.ts';
import type { Containers, Item } from './containers.ts';
import { sandboxLabel } from './labels.ts';
import { operationError } from './runtime-error.ts';

const everything = { sandboxes: [], images: true, dryRun: false };

/** A fake container runtime with one item of each kind, and further images. Records the requests in order. */
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
  const { removed } = await cleanup(containers, everything);
  assert.deepEqual(asked, [
    'list container request-guard.sandbox undefined',
    'list network request-guard.sandbox undefined',
    'list image request-guard.image undefined',
    'remove container-id',
    'remove network-id',
    'remove image-id',
  ]);
  assert.deepEqual(
    removed.map(({ kind }) => kind),
    ['container', 'network', 'image'],
  );
});

test('keeps images by default', async () => {
  const { removed } = await cleanup(runtime().containers, { ...everything, images: false });
  assert.equal(removed.length, 2);
});

test('a refused removal or listing is reported, and everything else is removed', async () => {
  const { containers, asked } = runtime();
  const { removed, failures } = await cleanup(
    {
      ...containers,
      list: async (kind, ...labels) => {
        if (kind === 'network') throw operationError('listing networks', new Error('busy'));
        const items = await containers.list(kind, ...labels);
        return kind === 'container' ? [{ kind, id: 'stuck', name: 'stuck' }, ...items] : items;
      },
      remove: async (item) => {
        if (item.id === 'stuck') throw operationError('removing the container stuck', new Error('driver failed'));
        await containers.remove(item);
      },
    },
    everything,
  );
  assert.deepEqual(
    removed.map(({ id }) => id),
    ['container-id', 'image-id'],
  );
  assert.deepEqual(failures, [
    { message: 'listing networks failed', reason: 'busy' },
    { message: 'removing the container stuck failed', reason: 'driver failed' },
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
  assert.deepEqual((await cleanup(containers, everything)).kept, [kept]);
  assert.deepEqual(asked.slice(-2), ['remove image-id', 'remove sha256:01']);
});

/** A fake container runtime with two sessions. The second one is isolated, so its gate publishes the port. */
function sessions() {
  const removed: string[] = [];
  const item = (kind: Item['kind'], name: string, session: string, ...ports: number[]): Item => ({
    ...{ kind, id: name, name, ports, labels: { [sandboxLabel]: session } },
  });
  const items = [
    item('container', 'request-guard-tcp-guard-s1', 's1', 8080, 8081),
    item('container', 'request-guard-caddy-s2', 's2'),
    item('container', 'request-guard-gate-s2', 's2', 9000),
    item('network', 'request-guard-s2', 's2'),
  ];
  const containers = {
    list: async (kind: Item['kind']) => items.filter((one) => one.kind === kind),
    remove: async ({ id }: Pick<Item, 'id'>) => void removed.push(id),
  } as unknown as Containers;
  return { containers, removed };
}

const only = (...sandboxes: string[]) => ({ sandboxes, images: false, dryRun: false });

test('removes the whole session of a named container or of a published port, and no other', async () => {
  const isolated = ['request-guard-caddy-s2', 'request-guard-gate-s2', 'request-guard-s2'];
  for (const [wanted, expected] of [
    [only('9000'), isolated],
    [only('request-guard-caddy-s2'), isolated],
    [only('8081'), ['request-guard-tcp-guard-s1']],
    [only('8080', '9000'), [...isolated, 'request-guard-tcp-guard-s1']],
  ] as const) {
    const { containers, removed } = sessions();
    await cleanup(containers, wanted);
    assert.deepEqual(removed.sort(), expected);
  }
});

test('refuses a name or port that no sandbox has, and removes nothing', async () => {
  const { containers, removed } = sessions();
  for (const text of ['1', 'caddy', 's1', ''])
    await assert.rejects(cleanup(containers, only('8080', text)), { code: 'no_sandbox' }, text);
  assert.deepEqual(removed, []);
});

test('a dry run lists what would be removed, and removes nothing', async () => {
  const { containers, removed } = sessions();
  const { found = [], ...rest } = await cleanup(containers, { ...only('9000'), dryRun: true });
  assert.deepEqual(
    found.map(({ name }) => name),
    ['request-guard-caddy-s2', 'request-guard-gate-s2', 'request-guard-s2'],
  );
  assert.deepEqual([rest, removed], [{ removed: [], kept: [], failures: [] }, []]);
});
