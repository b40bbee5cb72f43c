/** The npm package contains everything that its two programs need. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { packPackage } from '../support/packed.ts';

test('the programs of the package run outside of the clone', async () => {
  const folder = await packPackage();
  const root = join(folder, 'request-guard');
  // Compiling re2 again would take a minute and test nothing of this project.
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const run = (name: string, ...args: string[]): string =>
    execFileSync(process.execPath, [join(root, bin[name] ?? assert.fail(name)), ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  assert.match(run('guardcli', 'test', '/.git/config'), /BLOCKED/);
  assert.match(run('guardcli', 'generate', 'nginx', join(root, 'examples/guard.json')), /init_by_lua_block/);
  assert.match(run('guardcli', 'sandbox', 'caddy', join(root, 'examples/guard.json'), '--dry-run'), /docker run/);
  assert.match(run('tcp-guard', '--version'), /^\d+\.\d+\.\d+/);
});
