import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { Policy } from '../../../contract/policy/schema.ts';
import { copiedFiles } from '../image/image.ts';
import type { ProxySetup } from '../plan/proxy.ts';
import { traefik } from './traefik.ts';

const echo = '127.0.0.1:9000';
const setup = (changes: Partial<ProxySetup> = {}): ProxySetup => ({
  sites: [
    { policy: Policy.parse({ checkQuery: true }), port: 8080 },
    { policy: Policy.parse({ response: { mode: 'json' } }), port: 8081 },
  ],
  backend: `http://${echo}`,
  ready: '127.0.0.1:9001',
  echo,
  ...changes,
});

/** Returns the static and the dynamic configuration, parsed like Traefik does. */
const files = (given: ProxySetup) => traefik.configure(given).map(({ text }) => parse(text));

test('gives each policy its own entry point, router and middleware, and checks readiness without the guard', () => {
  const [{ entryPoints }, { http }] = files(setup());
  assert.deepEqual(Object.keys(entryPoints), ['ready', 'site-8080', 'site-8081']);
  assert.equal(entryPoints.ready.address, '127.0.0.1:9001');
  assert.deepEqual(http.routers['site-8081'].middlewares, ['site-8081']);
  assert.deepEqual(http.routers['site-8081'].entryPoints, ['site-8081']);
  assert.deepEqual(http.middlewares['site-8081'].plugin, { guard: { response: { mode: 'json' } } });
  assert.equal(http.routers.ready.middlewares, undefined);
});

test('sends the host name of an external backend', () => {
  const [, { http }] = files(setup({ backend: 'https://example.com' }));
  assert.deepEqual(http.services.backend.loadBalancer, {
    servers: [{ url: 'https://example.com' }],
    passHostHeader: false,
  });
  assert.deepEqual(http.services.echo.loadBalancer, { servers: [{ url: `http://${echo}` }] });
});

test('copies only the sources of the plugin to the image', () => {
  const paths = copiedFiles(traefik);
  for (const path of ['module/.traefik.yml', 'module/go.mod', 'module/engine/engine.go'])
    assert.ok(paths.includes(path), path);
  for (const path of paths) assert.doesNotMatch(path, /_test\.go$|testdata|^module\/(?:caddy|cmd|lua)\//);
});
