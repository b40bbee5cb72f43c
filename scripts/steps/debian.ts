/** Pulls Debian's base images, or builds them from packages when no registry responds. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { ensureImage } from '../../cli/sandbox/image/image.ts';
import { packageRoot } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { ExternalError } from '../../platform/errors.ts';
import {
  type BaseName,
  baseImage,
  cacheRegistryAnswer,
  didRegistryRespond,
  hasFreshRegistryAnswer,
  meansNoRegistry,
  pinnedBase,
} from '../../sandbox-images/bases.ts';
import { type Task, type TaskContext, Unavailable } from '../tasks/task.ts';
import { isOnPath, runtime } from './containers.ts';

/** Longer than a container runtime needs to find that no registry is reachable. */
const pullTimeoutMs = 120_000;

/** Pulls an image by building from it, because all container runtimes report errors of a build in the same way. */
async function pull(reference: string, { signal, log }: TaskContext): Promise<void> {
  const context = pack();
  context.entry({ name: 'Dockerfile' }, `FROM ${reference}\n`);
  context.finalize();
  const spec = { tag: 'localhost/request-guard/pulled:latest', arguments: {}, context: context as never };
  const both = AbortSignal.any([signal, AbortSignal.timeout(pullTimeoutMs)]);
  await (await runtime()).build(spec, (line) => log(`${line}\n`), both);
}

/**
 * Pulls the image. Returns false when no registry responds. @throws ExternalError when a registry responds with an
 * error
 */
async function tryRegistry(name: BaseName, context: TaskContext): Promise<boolean> {
  const error = await pull(pinnedBase(name), context).catch((cause: Error) => cause);
  context.signal.throwIfAborted();
  if (!error) return true;
  const message = (error instanceof ExternalError && error.failed.output) || error.message;
  if (meansNoRegistry(message)) return false;
  throw new ExternalError(`${pinnedBase(name)} cannot be pulled: ${message}`, {
    code: 'pull_failed',
    hint: 'wait, log in to the registry, or set GUARD_BASE_PREFIX to a mirror, then run the same command again',
    failed: { tool: 'container runtime' },
    cause: error,
  });
}

/** Returns the mmdebstrap command of this machine. Without one, unpacks Debian's package into a folder. */
async function mmdebstrap({ command }: TaskContext, folder: string): Promise<readonly [string, ...string[]]> {
  if (isOnPath('mmdebstrap')) return ['mmdebstrap'];
  if (!isOnPath('apt-get')) throw new Unavailable('no image registry responds, and this machine does not run Debian');
  const download = () => command('apt-get', ['-q', 'download', 'mmdebstrap'], { cwd: folder });
  // Package lists may be missing, or refer to a version that the archive no longer has.
  await download().catch(() => command('apt-get', ['-q', 'update']).then(download));
  await command('dpkg-deb', ['-x', join(folder, readdirSync(folder)[0] as string), join(folder, 'unpacked')]);
  return ['perl', join(folder, 'unpacked/usr/bin/mmdebstrap')];
}

/**
 * Accepts expired Release files: those of sid expire within days, and a mirror can be older. Signatures are still
 * checked.
 */
const expiredReleaseOption = ['--aptopt=Acquire::Check-Valid-Until "false"'];

async function seed(name: BaseName, context: TaskContext): Promise<void> {
  mkdirSync(cacheFolder(), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(), '.debian-'));
  const tar = join(folder, 'root.tar');
  try {
    const [tool, ...args] = await mmdebstrap(context, folder);
    const release = baseImage(name).split(':').at(-1)?.replace('-slim', '') ?? 'stable';
    const options = [
      '--variant=minbase',
      '--include=ca-certificates',
      ...(release === 'sid' ? expiredReleaseOption : []),
    ];
    await context.command(tool, [...args, ...options, release, tar]);
    const dockerfile = join(packageRoot, 'sandbox-images/debian/Dockerfile');
    const recipe = { tag: baseImage(name), dockerfile, artefacts: [tar], sources: [], arguments: {} };
    await ensureImage(recipe, await runtime(), {
      signal: context.signal,
      onLine: (line) => context.log(`${line}\n`),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isSeeded = async (name: BaseName): Promise<boolean> => (await runtime()).hasImage(baseImage(name));

/**
 * The step for one base image. It caches for a day that no registry responds. A mirror is not tested, because builds
 * pull from it.
 */
const step = (name: BaseName, title: string): Task => ({
  name,
  does: `preparing the base image of ${title}`,
  needs: ['containers'],
  done: async () =>
    Boolean(process.env.GUARD_BASE_PREFIX) ||
    didRegistryRespond() === true ||
    (hasFreshRegistryAnswer() && isSeeded(name)),
  run: async (context) => {
    const didRespond = !hasFreshRegistryAnswer() && (await tryRegistry(name, context));
    const file = cacheRegistryAnswer(didRespond);
    if (didRespond) return;
    context.announce(`no image registry responds (cached in ${file} for a day): images are built from packages`);
    if (!(await isSeeded(name))) await seed(name, context);
  },
  fix: 'check that the container runtime can pull images; GUARD_BASE_PREFIX names a mirror',
});

/** The first release is the base of all images that name no other release. The others have newer versions of nginx. */
export const debianReleases: readonly Task[] = [
  step('debian', 'Debian'),
  step('debian-trixie', 'Debian trixie'),
  step('debian-sid', 'Debian sid'),
];
