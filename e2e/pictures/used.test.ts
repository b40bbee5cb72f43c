import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';

interface Picture {
  readonly page: string;
  readonly file: string;
  readonly description: string;
}

/** Matches `![description](file)`, `<img>` and `<source>`. A source has the description of the image after it. */
const picture =
  /!\[(?<text>[^\]]*)\]\((?<file>[^)]+)\)|<(?:img|source)\b[^>]*?\bsrc(?:set)?="(?<path>[^"]+)"(?:[^>]*?\balt="(?<alt>[^"]*)")?/g;

function picturesOf(page: string): Picture[] {
  const found = [...readFileSync(join(packageRoot, page), 'utf8').matchAll(picture)];
  return found.map(({ 0: match, groups: { text, file, path, alt } = {} }) => ({
    page,
    file: posix.join(posix.dirname(page), file ?? path ?? ''),
    description: match.startsWith('<source') ? 'a source' : (text ?? alt ?? ''),
  }));
}

const cwd = packageRoot;
const used = ['README.md', ...globSync('docs/*.md', { cwd })].flatMap(picturesOf);
const files = globSync('docs/pictures/*', { cwd });

test('every picture that a page shows exists and has a description', () => {
  const broken = used.filter(({ file, description }) => !files.includes(file) || description.length < 8);
  assert.deepEqual(broken, []);
});

test('every file in docs/pictures is shown on a page', () => {
  const shown = new Set(used.map(({ file }) => file));
  assert.deepEqual(
    files.filter((file) => !shown.has(file)),
    [],
  );
});
