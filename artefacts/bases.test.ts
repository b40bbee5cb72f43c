import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { UsageError } from '../platform/errors.ts';
import {
  baseImage,
  cacheRegistryAnswer,
  didRegistryRespond,
  hasFreshRegistryAnswer,
  meansNoRegistry,
} from '../sandbox-images/bases.ts';
import { publishedProgram } from './published.ts';

function emptyCache(t: TestContext): { readonly XDG_CACHE_HOME: string } {
  const folder = mkdtempSync(join(tmpdir(), 'guard-cache-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return { XDG_CACHE_HOME: folder };
}

describe('the name of a base image', () => {
  it('is the pinned one where nothing is known, and where a registry responds', (t) => {
    const env = emptyCache(t);
    assert.equal(baseImage('debian', env), 'docker.io/library/debian:bookworm-slim');
    cacheRegistryAnswer(true, env);
    assert.equal(baseImage('debian', env), 'docker.io/library/debian:bookworm-slim');
  });

  it('is the image that bootstrap made where no registry responds', (t) => {
    const env = emptyCache(t);
    cacheRegistryAnswer(false, env);
    assert.equal(baseImage('debian', env), 'localhost/guard-base/debian:bookworm-slim');
  });

  it('is the pinned one where no registry responds and bootstrap cannot make the image', (t) => {
    const env = emptyCache(t);
    cacheRegistryAnswer(false, env);
    assert.equal(baseImage('golang', env), 'docker.io/library/golang:1.26-bookworm');
  });

  it('is that of the mirror in GUARD_BASE_PREFIX, whatever was found', (t) => {
    const env = { ...emptyCache(t), GUARD_BASE_PREFIX: 'mirror.example/library' };
    cacheRegistryAnswer(false, env);
    assert.equal(baseImage('debian', env), 'mirror.example/library/debian:bookworm-slim');
  });
});

describe('the cached result about image registries', () => {
  it('is unknown at first and when its file is damaged', (t) => {
    const env = emptyCache(t);
    assert.equal(didRegistryRespond(env), undefined);
    writeFileSync(cacheRegistryAnswer(true, env), '{');
    assert.equal(didRegistryRespond(env), undefined);
  });

  it('is the latest one', (t) => {
    const env = emptyCache(t);
    cacheRegistryAnswer(true, env);
    cacheRegistryAnswer(false, env);
    assert.equal(didRegistryRespond(env), false);
  });

  it('is not kept in a cache that cannot be written, which is an error of the user', (t) => {
    const { XDG_CACHE_HOME } = emptyCache(t);
    writeFileSync(join(XDG_CACHE_HOME, 'request-guard'), '');
    assert.throws(() => cacheRegistryAnswer(true, { XDG_CACHE_HOME }), UsageError);
  });

  it('expires after a day where no registry responded, and never where one did', (t) => {
    const env = emptyCache(t);
    const later = Date.now() + 25 * 60 * 60 * 1000;
    assert.equal(hasFreshRegistryAnswer(env), false);
    cacheRegistryAnswer(false, env);
    assert.deepEqual([hasFreshRegistryAnswer(env), hasFreshRegistryAnswer(env, later)], [true, false]);
    cacheRegistryAnswer(true, env);
    assert.equal(hasFreshRegistryAnswer(env, later), true);
  });

  for (const [message, expected] of [
    ['Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host', true],
    ['Get "https://registry-1.docker.io/v2/": dial tcp 192.0.2.1:443: connect: connection refused', true],
    ['Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout', true],
    ['Get "https://registry-1.docker.io/v2/": context deadline exceeded', true],
    ['the image registry does not respond', true],
    ['toomanyrequests: You have reached your unauthenticated pull rate limit', false],
    ['write /var/lib/docker/tmp/GetImageBlob1: no space left on device', false],
    ['manifest for debian:bookworm-slim not found: manifest unknown', false],
    ['unauthorized: authentication required', false],
  ] as const)
    it(`${expected ? 'is made' : 'is not made'} by the error ${JSON.stringify(message)}`, () =>
      assert.equal(meansNoRegistry(message), expected));
});

describe('a published program', () => {
  it('replaces a compilation only where a registry responds', (t) => {
    const env = emptyCache(t);
    assert.equal(publishedProgram('traefik', env), undefined);
    cacheRegistryAnswer(false, env);
    assert.equal(publishedProgram('traefik', env), undefined);
    cacheRegistryAnswer(true, env);
    assert.equal(publishedProgram('traefik', env)?.id, baseImage('traefik', env));
    assert.equal(publishedProgram('caddy', env), undefined);
    assert.equal(publishedProgram('traefik', { ...env, GUARD_BASE_PREFIX: 'mirror.example' }), undefined);
  });
});
