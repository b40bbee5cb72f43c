import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Image, replaced } from './prune.ts';

const now = 1_000_000;
const image = (Id: string, Created: number, tag?: string, kind = 'caddy'): Image => ({
  Id,
  Created,
  RepoTags: tag === undefined ? null : [tag],
  Labels: { 'request-guard.image': kind },
});

it('selects images older than the newest three of a kind, and unnamed ones older than an hour', () => {
  const images = [
    ...[1, 2, 3, 4, 5].map((age) => image(`caddy${age}`, now - age, `localhost/request-guard/caddy:${age}`)),
    image('nginx', now - 9999, 'localhost/request-guard/nginx:1', 'nginx'),
    image('building', now - 10),
    image('left', now - 7200),
    { ...image('left too', now - 7200), RepoTags: ['<none>:<none>'] },
  ];
  assert.deepEqual(replaced(images, now), ['caddy4', 'caddy5', 'left', 'left too']);
});
