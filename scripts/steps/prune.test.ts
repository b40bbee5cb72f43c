import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replacedImages } from './prune.ts';

const now = 1_000_000;
const image = (name: string, age: number) => ({ kind: 'image', id: name, name, created: now - age }) as const;

it('selects images older than the newest three of a kind, and unnamed ones older than an hour', () => {
  const images = [
    ...[1, 2, 3, 4, 5].map((age) => image(`localhost/request-guard/caddy:${age}`, age)),
    image('localhost/request-guard/nginx:1', 9999),
    image('0123456789ab', 10),
    image('abcdef012345', 7200),
    image('<none>:<none>', 7200),
  ];
  assert.deepEqual(
    replacedImages(images, now).map(({ name }) => name),
    ['localhost/request-guard/caddy:4', 'localhost/request-guard/caddy:5', 'abcdef012345', '<none>:<none>'],
  );
});
