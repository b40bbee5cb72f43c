/** Builds the image of tcp-guard and runs it as its compose file does. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { until } from '../../platform/testing/until.ts';
import { docker, skip } from '../support/guardcli.ts';
import { imageOf, packagedImage } from '../support/packaged-image.ts';

const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--tmpfs', '/tmp'];
const runtime = ['--tmpfs', '/run/guard:uid=65532,gid=65532,mode=0750'];
const volumes = ['-v', '/var/lib/guard', '-v', '/var/log/guard'];
const file = '/var/lib/guard/tcp-guard.yaml';

test('the packaged image is small and serves without a privilege, and its health check says so', {
  skip,
}, async (t) => {
  const { tag, create } = await packagedImage(t, imageOf('tcp-guard'));
  assert.match(await docker('run', '--rm', ...hardened, tag, '--version'), /^\d+\.\d+\.\d+$/);
  const id = await create([...hardened, ...runtime, ...volumes], '-c', file);
  await docker('cp', join(packageRoot, 'packaging/container/tcp-guard.yaml'), `${id}:${file}`);
  await docker('start', id);
  await until(async () => {
    assert.equal(await docker('inspect', '--format', '{{.State.Running}}', id), 'true', await docker('logs', id));
    return (await docker('inspect', '--format', '{{.State.Health.Status}}', id)) === 'healthy';
  }, 'the container to be healthy');
});
