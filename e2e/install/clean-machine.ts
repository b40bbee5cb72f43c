/** A container of the test image with only Node and npm. */
import { cpSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { compilerId, compilerVariable } from '../../artefacts/build.ts';
import { packageRoot } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import type { Scratch } from '../../scripts/pages/scratch.ts';
import { images } from '../../scripts/steps/test-images.ts';
import { docker } from '../support/guardcli.ts';
import { sandboxImage } from '../support/sandbox-image.ts';

const certificates = '/etc/ssl/certs';
const socket = '/var/run/docker.sock';
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Installs npm in a folder, because the npm of this machine can consist of several system packages. */
async function npmFolder(folder: string): Promise<string> {
  await command('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', 'npm@12']);
  return join(folder, 'node_modules/npm');
}

/** Copies the compiled re2 of this machine to where its GitHub release has the binary for this Node. */
export function mirrorRe2(folder: string): string {
  const home = join(packageRoot, 'node_modules/re2');
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  mkdirSync(join(folder, version), { recursive: true });
  const slot = `${process.platform}-${process.arch}-${process.versions.modules}`;
  cpSync(join(home, 'build/Release/re2.node'), join(folder, version, slot));
  return folder;
}

/** Variables that make the install script of re2 read from this folder. */
export const mirrorVariables = (folder: string) => ({ RE2_DOWNLOAD_MIRROR: folder, RE2_DOWNLOAD_SKIP_PATH: '1' });

const npmSetting = (name: string): Promise<string> =>
  command('npm', ['config', 'get', name]).then((text) => text.trim());

/** Variables with which npm reaches its registry on this machine. */
async function networkSettings(): Promise<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'];
  const kept = names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { ...Object.fromEntries(kept), npm_config_registry: await npmSetting('registry') };
}

/**
 * Starts a container that runs until the test ends. Commands run in `folder`, and can reach the container runtime,
 * compiled programs and the npm registry.
 */
export async function startCleanMachine(t: TestContext): Promise<Scratch> {
  const root = scratchFolder('guard-clean-');
  const folder = join(root, 'site');
  mkdirSync(folder);
  const { image } = await sandboxImage(images.light);
  const cache = cacheFolder();
  const mounts = [
    ...[`${folder}:${folder}`, `${realpathSync(process.execPath)}:/usr/local/bin/node:ro`],
    ...[`${await npmFolder(root)}:/usr/local/lib/node_modules/npm:ro`, `${mirrorRe2(join(root, 're2'))}:/opt/re2:ro`],
    ...[`${certificates}:${certificates}:ro`, `${cache}:${cache}`, `${socket}:${socket}`],
  ];
  const env = {
    ...(await networkSettings()),
    ...mirrorVariables('/opt/re2'),
    XDG_CACHE_HOME: dirname(cache),
    [compilerVariable]: await compilerId(),
    PATH: systemPath,
  };
  const options = [
    ...mounts.flatMap((mount) => ['-v', mount]),
    ...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
  ];
  const id = await docker(
    'run',
    '-d',
    '--init',
    '--network',
    'host',
    '-w',
    folder,
    ...options,
    image,
    'sleep',
    'infinity',
  );
  t.after(async () => {
    await docker('rm', '-f', id);
  });
  await docker('exec', id, 'ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm');
  return { folder, env: { PATH: process.env.PATH ?? '' }, prefix: ['docker', 'exec', id], remove: () => {} };
}
