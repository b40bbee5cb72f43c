import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Artefact } from './artefacts.ts';
import { contentHash, sourceFiles } from './sources.ts';

const artefact: Artefact = { source: 'main', inputs: ['main', 'lib'], tags: [], pins: {} };

function tree(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'guard-sources-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const files = { 'main/go.mod': 'module m', 'main/main.go': 'package main', 'lib/deep/a.go': 'package a' };

describe('the sources of an artefact', () => {
  it('are Go files and module files below its inputs, without tests', (t) => {
    const noise = { 'lib/a_test.go': '', 'lib/testdata/x.go': '', 'lib/README.md': '', 'other/b.go': '' };
    const root = tree(t, { ...files, ...noise, 'lib/go.sum': '' });
    const found = sourceFiles(root, artefact.inputs);
    assert.deepEqual(found, ['lib/deep/a.go', 'lib/go.sum', 'main/go.mod', 'main/main.go']);
  });
});

describe('the content hash', () => {
  it('is the same for the same content in another place', (t) => {
    assert.equal(contentHash(tree(t, files), artefact, 'go1'), contentHash(tree(t, files), artefact, 'go1'));
  });

  it('changes with a source, a new file, the row, the compiler and the target', (t) => {
    const root = tree(t, files);
    const hashes = [
      contentHash(root, artefact, 'go1', 'amd64'),
      contentHash(root, artefact, 'go2', 'amd64'),
      contentHash(root, artefact, 'go1', 'arm64'),
      contentHash(root, { ...artefact, tags: ['x'] }, 'go1', 'amd64'),
      contentHash(tree(t, { ...files, 'main/main.go': 'package maim' }), artefact, 'go1', 'amd64'),
      contentHash(tree(t, { ...files, 'main/b.go': '' }), artefact, 'go1', 'amd64'),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
  });
});
