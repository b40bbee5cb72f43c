/** Debian's base image: pulled, or built from Debian packages when no image registry responds. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint } from '../../cli/sandbox/locate.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { ExternalError } from '../../platform/errors.ts';
import {
  baseImage,
  hasFreshFinding,
  keepRegistryAnswer,
  meansNoRegistry,
  pinnedBase,
  registryAnswers,
} from '../../sandbox-images/bases.ts';
import { findRuntime } from '../runtime/find.ts';
import { hasImage, importImage, pull } from '../runtime/images.ts';
import { type Task, type TaskContext, Unavailable } from '../tasks/task.ts';
import { isOnPath } from './apt.ts';

/** Time limit for the first response of a registry. */
const patienceMs = 20_000;
const mirror = (): string | undefined => process.env.GUARD_BASE_PREFIX;

async function runtime(): Promise<Endpoint> {
  const found = await findRuntime();
  if (!found) throw new Unavailable('no container runtime responds');
  return found;
}

/** @throws ExternalError when a registry responds with an error */
async function tryRegistry(context: TaskContext): Promise<boolean> {
  const reference = pinnedBase('debian');
  const error = await pull(await runtime(), reference, context.signal, patienceMs).catch((cause: Error) => cause);
  context.signal.throwIfAborted();
  if (!error) return true;
  context.log(`${reference}: ${error.message}\n`);
  if (meansNoRegistry(error.message)) return false;
  throw new ExternalError(`${reference} cannot be pulled: ${error.message}`, {
    code: 'pull_failed',
    hint: 'wait, log in to the registry, or set GUARD_BASE_PREFIX to a mirror, then run the same command again',
    failed: { tool: 'container runtime' },
    cause: error,
  });
}

/** Whether an image registry responds. A negative result is cached for a day. A mirror is not tested. */
export const registry: Task = {
  name: 'registry',
  does: 'looking for an image registry',
  needs: ['containers'],
  done: () => mirror() !== undefined || hasFreshFinding(),
  run: async (context) => {
    const answers = await tryRegistry(context);
    const file = keepRegistryAnswer(answers);
    if (!answers)
      context.announce(`no image registry responds (cached in ${file} for a day): images are built from packages`);
    return undefined;
  },
  fix: 'check that the container runtime can pull images; GUARD_BASE_PREFIX names a mirror',
};

/** mmdebstrap of this machine, or Debian's package unpacked into the cache folder, without an installation. */
async function mmdebstrap({ command }: TaskContext): Promise<readonly [string, ...string[]]> {
  if (isOnPath('mmdebstrap')) return ['mmdebstrap'];
  if (!isOnPath('apt-get')) throw new Unavailable('no image registry responds, and this machine does not run Debian');
  const program = join(cacheFolder(), 'mmdebstrap/usr/bin/mmdebstrap');
  if (existsSync(program)) return ['perl', program];
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), '.mmdebstrap-'));
  try {
    const download = () => command('apt-get', ['-q', 'download', 'mmdebstrap'], { cwd: work });
    // Package lists may be missing, or refer to a version that the archive no longer has.
    await download().catch(() => command('apt-get', ['-q', 'update']).then(download));
    await command('dpkg-deb', ['-x', join(work, readdirSync(work)[0] as string), join(work, 'unpacked')]);
    rmSync(join(cacheFolder(), 'mmdebstrap'), { recursive: true, force: true });
    renameSync(join(work, 'unpacked'), join(cacheFolder(), 'mmdebstrap'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return ['perl', program];
}

async function seed(context: TaskContext): Promise<void> {
  const [tool, ...args] = await mmdebstrap(context);
  const folder = mkdtempSync(join(tmpdir(), 'guard-base-'));
  const tar = join(folder, 'root.tar');
  try {
    context.say('building a root file system from packages');
    const release = baseImage('debian').split(':').at(-1)?.replace('-slim', '') ?? 'stable';
    await context.command(tool, [...args, '--variant=minbase', '--include=ca-certificates', release, tar]);
    await importImage(await runtime(), baseImage('debian'), tar, context.signal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const debian: Task = {
  name: 'debian',
  does: 'preparing the Debian base image',
  needs: ['containers', 'registry'],
  done: async () => {
    const found = await findRuntime();
    return found !== undefined && hasImage(found, baseImage('debian'), AbortSignal.timeout(patienceMs));
  },
  run: async (context) => {
    if (mirror() || registryAnswers()) await pull(await runtime(), baseImage('debian'), context.signal, patienceMs);
    else await seed(context);
    return undefined;
  },
  fix: 'check that the container runtime can pull images (GUARD_BASE_PREFIX names a mirror), then run the same command again',
};
