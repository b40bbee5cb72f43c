import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { freePort, runSandbox, skip } from '../support/guardcli.ts';

const example = join(packageRoot, 'examples/guard.json');

test('the compiled guard passes all probes, with only the manifest of the plugin', { skip }, async (t) => {
  const port = await freePort();
  const args = ['sandbox', 'traefik', example, '--compiled', '--test'];
  const { status, stdout, stderr, left } = await runSandbox(t, args, port, {});
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`^Traefik on http://localhost:${port}: PASSED, \\d,\\d{3} probes in `));
  assert.deepEqual(left, []);
});
