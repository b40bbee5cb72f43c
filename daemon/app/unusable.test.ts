import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

/** Prints the URL of each module that is loaded. */
const listing = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });`;

test('a check loads the engine only where a service has a policy', () => {
  const folder = scratchFolder('guard-check-');
  writeFileSync(join(folder, 'guard.json'), '{}');
  const service = 'listen: "127.0.0.1:1", upstream: "127.0.0.1:2"';
  for (const [more, isLoaded] of [
    ['protocol: ssh', false],
    ['protocol: http, http: {policy: guard.json}', true],
  ] as const) {
    const file = join(folder, 'tcp-guard.yaml');
    writeFileSync(file, `services: {one: {${service}, ${more}}}\n`);
    const args = ['--import', listing, join(packageRoot, 'daemon/app/start.ts'), '--check', '-c', file];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.match(stdout, /: schema passed$/m, stderr);
    assert.equal(stdout.includes('/engine/index.ts'), isLoaded, more);
  }
});
