/** Builds the image of tcp-guard from its Dockerfile, and runs it as its compose file does. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildImage } from '../../packaging/container/build.ts';
import { images } from '../../packaging/container/images.ts';
import { saveImage } from '../../packaging/release/images.ts';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/until.ts';
import { docker, skip } from '../support/guardcli.ts';

const tag = 'localhost/request-guard/packaged:test';
const image = images.find(({ name }) => name === 'tcp-guard') ?? assert.fail();

const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--tmpfs', '/tmp'];
const runtime = ['--tmpfs', '/run/guard:uid=65532,gid=65532,mode=0750'];

test('the packaged image is small and serves without a privilege, and its health check says so', {
  skip,
}, async (t) => {
  let id = '';
  // While a container uses the image, removal would only remove its name.
  t.after(async () => {
    if (id !== '') await docker('rm', '-f', '-v', id);
    await docker('rmi', '-f', tag);
  });
  await buildImage(image, tag, {});
  await saveImage(image, tag, { folder: scratchFolder('guard-saved-'), version: '1.0.0' });
  assert.match(await docker('run', '--rm', ...hardened, tag, '--version'), /^\d+\.\d+\.\d+$/);
  const configuration = readFileSync(join(packageRoot, 'packaging/container/tcp-guard.yaml'), 'utf8');
  id = await docker(
    'create',
    ...hardened,
    ...runtime,
    '-v',
    '/var/lib/guard',
    '-v',
    '/var/log/guard',
    tag,
    '-c',
    '/var/lib/guard/tcp-guard.yaml',
  );
  const archive = spawn('docker', ['cp', '-', `${id}:/var/lib/guard`], { stdio: ['pipe', 'ignore', 'inherit'] });
  const { pack } = await import('tar-stream');
  const files = pack();
  files.entry({ name: 'tcp-guard.yaml', mode: 0o644 }, configuration);
  files.finalize();
  (files as unknown as NodeJS.ReadableStream).pipe(archive.stdin);
  await once(archive, 'close');
  await docker('start', id);
  await until(async () => {
    assert.equal(await docker('inspect', '--format', '{{.State.Running}}', id), 'true', await docker('logs', id));
    return (await docker('inspect', '--format', '{{.State.Health.Status}}', id)) === 'healthy';
  }, 'the container to be healthy');
});
