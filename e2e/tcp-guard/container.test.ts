/** Builds the image of packaging/container from its Dockerfile, and runs it with its compose file. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { imageLabel } from '../../cli/sandbox/runtime/labels.ts';
import { packageRoot } from '../../platform/assets.ts';
import { until } from '../../platform/until.ts';
import { baseImage } from '../../sandbox-images/bases.ts';
import { docker, skip } from '../support/guardcli.ts';

const file = 'packaging/container/Dockerfile';
const tag = 'localhost/request-guard/packaged:test';

/** Returns the build context: the lines that the ignore file includes again. */
function context(): string[] {
  const lines = readFileSync(join(packageRoot, `${file}.dockerignore`), 'utf8').split('\n');
  const patterns = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  return globSync(patterns, { cwd: packageRoot });
}

/**
 * Returns options for the Node of the image. When node_modules has no Node, because the machine's version matches, the
 * running one replaces it.
 */
function ownNode(): string[] {
  const path = 'node_modules/node-linux-own/bin/node';
  if (context().some((name) => name.startsWith('node_modules/node-linux'))) return [];
  return [
    `--transform=s|^${basename(process.execPath)}$|${path}|`,
    '-C',
    dirname(process.execPath),
    basename(process.execPath),
  ];
}

/** Builds like `docker build -f packaging/container/Dockerfile .`, without a builder that supports ignore files. */
async function build(): Promise<void> {
  const tar = spawn('tar', ['-cf', '-', '-C', packageRoot, file, ...context(), ...ownNode()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const args = [
    'build',
    '-q',
    `--label=${imageLabel}=packaged`,
    '-f',
    file,
    '--build-arg',
    `BASE=${baseImage('debian')}`,
    '-t',
    tag,
    '-',
  ];
  const built = spawn('docker', args, { stdio: ['pipe', 'ignore', 'pipe'] });
  tar.stdout.pipe(built.stdin);
  const [said, [status]] = await Promise.all([text(built.stderr), once(built, 'close')]);
  assert.equal(status, 0, said);
}

const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--tmpfs', '/tmp'];
const runtime = ['--tmpfs', '/run/guard:uid=65532,gid=65532,mode=0750'];

test('the packaged image serves without a privilege, and its health check says so', { skip }, async (t) => {
  let id = '';
  // While a container uses the image, removal would only remove its name.
  t.after(async () => {
    if (id !== '') await docker('rm', '-f', '-v', id);
    await docker('rmi', '-f', tag);
  });
  await build();
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
