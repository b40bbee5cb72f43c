/** The compiled guard works with and without the sources of the plugin. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { listen } from '../support/listen.ts';
import { routeWithGuards, startTraefik, type Traefik, variants } from './process.ts';

async function backend(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => response.end('ok'));
  return `http://127.0.0.1:${await listen(t, server)}`;
}

function twoRoutes(url: string, policy: object): object {
  const { http } = routeWithGuards(url, { guard: policy }) as { http: { routers: object } };
  return { http: { ...http, routers: { ...http.routers, free: { rule: 'Path(`/free`)', service: 'backend' } } } };
}

const statusOf = ({ port }: Traefik, path: string): Promise<number | undefined> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ status }) => status,
    () => undefined,
  );

const serving = (traefik: Traefik): Promise<void> =>
  until(async () => (await statusOf(traefik, '/free')) === 200, 'Traefik to serve');

const { compiled, plugin } = variants;

test('it needs no sources, and says once that sources in the folder are not used', async (t) => {
  const url = await backend(t);
  const policies = {
    http: { ...(routeWithGuards(url, { one: { enabled: true }, two: { checkQuery: true } }) as { http: object }).http },
  };
  const note = /sources in plugins-local are not used/g;
  const lean = await startTraefik(t, policies, {}, compiled);
  const both = await startTraefik(t, policies, {}, { ...compiled, install: plugin.install });
  for (const traefik of [lean, both]) {
    await until(async () => (await statusOf(traefik, '/')) === 200, 'Traefik to serve');
    assert.equal(await statusOf(traefik, '/.env'), 403);
  }
  assert.deepEqual(
    [lean, both].map(({ output }) => output().match(note)?.length ?? 0),
    [0, 1],
  );
});

test('a wrong policy has the error of the plugin, and its router serves nothing', async (t) => {
  const url = await backend(t);
  const policy = { checkQuerry: true, blockPatterns: ['(?=x)'], response: { mode: 'txt' } };
  const texts = [];
  for (const variant of [plugin, compiled]) {
    const traefik = await startTraefik(t, twoRoutes(url, policy), {}, variant);
    await serving(traefik);
    assert.equal(await statusOf(traefik, '/'), 404);
    texts.push(/guard: middleware [^\n]*/.exec(traefik.output())?.[0]);
  }
  assert.match(texts[0] ?? '', /checkQuerry/);
  assert.equal(texts[1], texts[0]);
});

const mistakes = {
  'a missing folder': { install: () => {}, found: /\.traefik\.yml: no such file or directory/ },
  'a file that names another import': {
    install: (folder: string) => {
      const lines = ['type: middleware', 'runtime: yaegi', 'displayName: x', 'summary: x', 'testData: {a: b}'];
      writeFileSync(join(folder, '.traefik.yml'), [...lines, 'import: example.com/other'].join('\n'));
    },
    found: /example\.com\/other/,
  },
};

for (const [name, { install, found }] of Object.entries(mistakes))
  test(`${name} is named in Traefik's log, and nothing is served unguarded`, async (t) => {
    const traefik = await startTraefik(t, twoRoutes(await backend(t), {}), {}, { ...compiled, install });
    await serving(traefik);
    assert.equal(await statusOf(traefik, '/'), 404);
    assert.match(traefik.output(), found);
  });
