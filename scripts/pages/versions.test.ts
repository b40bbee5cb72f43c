import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage } from './blocks.ts';
import { isPinned, mentions, mentionsIn } from './versions.ts';

test('every file has the pinned versions of Caddy and Traefik', () => {
  const others = mentions().filter((mention) => !isPinned(mention));
  assert.deepEqual(
    others.map(({ file, line }) => `${file}: ${line.trim()}`),
    [],
  );
});

test('the recipe for another version names every file that has it', () => {
  const page = readPage('docs/development.md');
  const [, recipe = ''] = /^### Support another version of Caddy or Traefik\n([\s\S]*?)^#/m.exec(page) ?? [];
  const files = [...new Set(mentions().map(({ file }) => file))];
  assert.ok(files.length > 5);
  assert.deepEqual(
    files.filter((file) => !recipe.includes(`\`${file}\``)),
    [],
  );
});

test('the spellings of a version are found', () => {
  const lines = [
    ...['Caddy 2.0.1', '| Caddy | 2.0.1 | yes |', 'go get github.com/caddyserver/caddy/v2@v2.0.1', 'caddy:2.0.1"'],
    ...[
      'xcaddy build v2.0.1 --with',
      '\tgithub.com/caddyserver/caddy/v2 v2.0.1',
      "'github.com/caddyserver/caddy/v2': 'v2.0.1'",
    ],
    ...['image: traefik:v2.0.1', 'github.com/traefik/traefik/v3 v2.0.1 // indirect'],
  ];
  for (const line of lines) {
    const found = mentionsIn('x', line);
    assert.deepEqual([found.length, found[0]?.version, found.some(isPinned)], [1, '2.0.1', false], line);
  }
});
