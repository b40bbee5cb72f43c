import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stringify } from 'yaml';
import { buildArtefact } from '../../artefacts/build.ts';
import { compiledTraefik } from '../../cli/build/cached.ts';
import { generateNginx } from '../../cli/generate/nginx.ts';
import { Policy } from '../../contract/policy/schema.ts';
import type { Image } from '../../packaging/container/images.ts';
import { packageRoot } from '../../platform/assets.ts';
import { until } from '../../platform/testing/until.ts';
import { get } from '../caddy/process.ts';
import { docker, freePort, skip, temporaryFile } from '../support/guardcli.ts';
import { imageOf, packagedImage } from '../support/packaged-image.ts';

interface Given {
  /** Contents by path in the container. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Starts a container of the image. Returns its published port. */
async function started(t: TestContext, image: Image, { files, args }: Given): Promise<number> {
  const { create } = await packagedImage(t, image);
  const port = await freePort();
  const id = await create(['-p', `127.0.0.1:${port}:80`], ...args);
  for (const [path, text] of Object.entries(files)) await docker('cp', temporaryFile('file', text), `${id}:${path}`);
  await docker('start', id);
  const isServing = (): Promise<boolean> => get(port, '/').then((status) => status === 200);
  await until(() => isServing().catch(() => false), `${image.name} to serve`);
  return port;
}

test('the image of nginx is small, and blocks with the output of generate', { skip }, async (t) => {
  const text = generateNginx(Policy.parse({}));
  const port = await started(t, imageOf('nginx'), { files: { '/etc/nginx/conf.d/guard.conf': text }, args: [] });
  assert.equal(await get(port, '/.env'), 403);
});

const dynamic = {
  http: {
    routers: { all: { rule: 'PathPrefix(`/`)', middlewares: ['guard'], service: 'ping@internal' } },
    middlewares: { guard: { plugin: { guard: {} } } },
  },
};

test('the image of Traefik is small, and blocks with the guard that is compiled in', { skip }, async (t) => {
  const image: Image = {
    ...imageOf('traefik'),
    async stage({ context }) {
      // `guardcli build` writes files with these names.
      copyFileSync(await compiledTraefik(), join(context, 'traefik'));
      writeFileSync(join(context, 'traefik.LICENSES.txt'), '');
      copyFileSync(join(packageRoot, 'module/.traefik.yml'), join(context, '.traefik.yml'));
      return [];
    },
  };
  const args = [
    '--entryPoints.web.address=:80',
    '--ping.manualRouting=true',
    '--providers.file.filename=/dynamic.yaml',
    '--experimental.localPlugins.guard.moduleName=github.com/request-guard/guard',
  ];
  const port = await started(t, image, { files: { '/dynamic.yaml': stringify(dynamic) }, args });
  assert.equal(await get(port, '/.env'), 403);
});

test('the image of Caddy is small, and blocks', { skip }, async (t) => {
  const image: Image = {
    ...imageOf('caddy'),
    async stage({ context }) {
      copyFileSync(await buildArtefact('caddy'), join(context, 'caddy'));
      writeFileSync(join(context, 'caddy.LICENSES.txt'), '');
      return [];
    },
  };
  const caddyfile = '{\n\torder guard first\n}\n:80\nguard\nrespond ok\n';
  const port = await started(t, image, { files: { '/etc/caddy/Caddyfile': caddyfile }, args: [] });
  assert.equal(await get(port, '/.env'), 403);
});
