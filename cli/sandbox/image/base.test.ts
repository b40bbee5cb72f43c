import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Containers } from '../../../containers/containers.ts';
import { cacheRegistryAnswer } from '../../../sandbox-images/bases.ts';
import { ensureBase } from './base.ts';

const building = { signal: new AbortController().signal, onLine: () => {} };

/** A fake container runtime that has these images and records the requests. */
function runtime(...images: string[]) {
  const asked: string[] = [];
  const hasImage = async (tag: string): Promise<boolean> => {
    asked.push(tag);
    return images.includes(tag);
  };
  return { asked, containers: { hasImage } as unknown as Containers };
}

/** Sets an empty cache folder and these variables for this process, until the test ends. */
function environment(t: TestContext, values: Record<string, string> = {}): void {
  const before = { ...process.env };
  const folder = mkdtempSync(join(tmpdir(), 'guard-cache-'));
  delete process.env.GUARD_BASE_PREFIX;
  Object.assign(process.env, { XDG_CACHE_HOME: folder, ...values });
  t.after(() => {
    process.env = before;
    rmSync(folder, { recursive: true });
  });
}

describe('the base of a sandbox image', () => {
  it('is pulled by the build when a mirror is set', async (t) => {
    environment(t, { GUARD_BASE_PREFIX: 'mirror.example/x' });
    const { asked, containers } = runtime();
    assert.equal(await ensureBase('debian', containers, building), 'mirror.example/x/debian:bookworm-slim');
    assert.deepEqual(asked, []);
  });

  it('is pulled by the build when a registry responds', async (t) => {
    environment(t);
    cacheRegistryAnswer(true);
    assert.match(await ensureBase('debian', runtime().containers, building), /^docker\.io\//);
  });

  it('is the image built from packages when it exists', async (t) => {
    environment(t);
    cacheRegistryAnswer(false);
    const reference = 'localhost/guard-base/debian:bookworm-slim';
    const { asked, containers } = runtime(reference);
    assert.equal(await ensureBase('debian', containers, building), reference);
    assert.deepEqual(asked, [reference]);
  });
});
