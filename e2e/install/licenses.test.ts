/** Licenses of the Go modules in a release, and in programs of `guardcli build`. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { artefacts } from '../../artefacts/artefacts.ts';
import { findLocalGo } from '../../artefacts/go.ts';
import { type GoProgram, goModules } from '../../packaging/bundle/go-modules.ts';
import { isAccepted } from '../../packaging/bundle/licenses.ts';
import { packageRoot } from '../../platform/assets.ts';

const skip = (await findLocalGo()) ? false : 'there is no Go to list the modules with';
const env = { GOWORK: 'off', GOFLAGS: '' };
const { traefik, caddy } = artefacts;

const programs: Readonly<Record<string, GoProgram>> = {
  Traefik: { folder: traefik.source, packages: traefik.main, env },
  Caddy: { folder: caddy.source, packages: '.', env },
  'the module for Caddy': {
    folder: 'module/caddy',
    packages: './...',
    env: { ...env, GOWORK: join(packageRoot, 'module/go.work') },
  },
};

for (const [name, program] of Object.entries(programs))
  test(`the licenses of all Go modules in ${name} are accepted ones, and their texts are there`, { skip }, async () => {
    const modules = await goModules(program);
    assert.ok(modules.length > 100, String(modules.length));
    const others = modules.filter(({ license, text }) => !isAccepted(license) || text === '');
    assert.deepEqual(
      others.map((one) => `${one.name}: ${one.license}`),
      [],
    );
  });
