import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { baseImage, keepRegistryAnswer, registryAnswers } from './bases.ts';

function emptyCache(t: TestContext): { readonly XDG_CACHE_HOME: string } {
  const folder = mkdtempSync(join(tmpdir(), 'guard-cache-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return { XDG_CACHE_HOME: folder };
}

describe('the name of a base image', () => {
  it('is the pinned one where nothing is known, and where a registry answers', (t) => {
    const env = emptyCache(t);
    assert.equal(baseImage('debian', env), 'docker.io/library/debian:bookworm-slim');
    keepRegistryAnswer(true, env);
    assert.equal(baseImage('debian', env), 'docker.io/library/debian:bookworm-slim');
  });

  it('is our own where no registry answers', (t) => {
    const env = emptyCache(t);
    keepRegistryAnswer(false, env);
    assert.equal(baseImage('debian', env), 'localhost/guard-base/debian:bookworm-slim');
  });

  it('is that of the mirror which GUARD_BASE_PREFIX names, whatever was found', (t) => {
    const env = { ...emptyCache(t), GUARD_BASE_PREFIX: 'mirror.example/library' };
    keepRegistryAnswer(false, env);
    assert.equal(baseImage('debian', env), 'mirror.example/library/debian:bookworm-slim');
  });
});

describe('the kept finding about image registries', () => {
  it('is unknown at first and when its file is damaged', (t) => {
    const env = emptyCache(t);
    assert.equal(registryAnswers(env), undefined);
    writeFileSync(keepRegistryAnswer(true, env), '{');
    assert.equal(registryAnswers(env), undefined);
  });

  it('is what was kept last', (t) => {
    const env = emptyCache(t);
    keepRegistryAnswer(true, env);
    keepRegistryAnswer(false, env);
    assert.equal(registryAnswers(env), false);
  });
});
