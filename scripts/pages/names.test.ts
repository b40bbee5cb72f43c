import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage } from './blocks.ts';
import { nameProblems } from './names.ts';

test('walks and recipes name files and code that exist', () => {
  const page = readPage('docs/development.md');
  assert.deepEqual(nameProblems(page.slice(page.indexOf('\n## Walks through the code\n'))), []);
});

test('a name that only a comment or another file has is refused', () => {
  const text =
    'See `nameProblems`, `removedFromAll` and `readPage` in `scripts/pages/names.ts`, or `scripts/pages/gone.ts`.';
  assert.deepEqual(nameProblems(text), [
    'there is no file scripts/pages/gone.ts',
    'removedFromAll is not in scripts/pages/names.ts',
    'readPage is not in scripts/pages/names.ts',
  ]);
  assert.deepEqual(nameProblems('See `scripts/pages/names.ts`: `nameProblems` or `readPage`.'), [
    'readPage is not in scripts/pages/names.ts',
  ]);
  assert.deepEqual(nameProblems('`which` in `scripts/pages/names.ts`'), ['which is not in scripts/pages/names.ts']);
});
