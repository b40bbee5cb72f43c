/** Debian's base image: pulled, or made from Debian's own packages where no image registry answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint } from '../../cli/sandbox/locate.ts';
import { baseImage, keepRegistryAnswer, registryAnswers } from '../../sandbox-images/bases.ts';
import { findEngine } from '../engine/find.ts';
import { hasImage, importImage, pull } from '../engine/images.ts';
import { type Task, type TaskContext, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';

/** The one try on this machine: a registry that is reachable begins to answer within a few seconds. */
const patienceMs = 20_000;

async function engine(): Promise<Endpoint> {
  const found = await findEngine();
  if (!found) throw new Unavailable('no container engine answers');
  return found;
}

/** Whether the pinned image could be pulled; the answer is kept, so that this is asked once on each machine. */
async function tryRegistry(context: TaskContext): Promise<boolean> {
  const reference = baseImage('debian');
  const answers = await pull(await engine(), reference, context.signal, patienceMs).then(
    () => true,
    (error: Error) => {
      context.log(`${reference}: ${error.message}\n`);
      return false;
    },
  );
  context.signal.throwIfAborted();
  // A mirror that the user named is no finding about this machine.
  if (process.env.GUARD_BASE_PREFIX) return answers;
  const file = keepRegistryAnswer(answers);
  if (!answers) context.tell(`no image registry answers (kept in ${file}): base images are made from packages`);
  return answers;
}

async function seed(context: TaskContext): Promise<void> {
  if (!isOnPath('mmdebstrap')) {
    if (!canInstall()) throw new Unavailable('no image registry answers, and mmdebstrap is not installed');
    await installDebian('debian', context);
  }
  const folder = mkdtempSync(join(tmpdir(), 'guard-base-'));
  const tar = join(folder, 'root.tar');
  try {
    context.say('building a root file system from packages');
    const release = baseImage('debian').split(':').at(-1)?.replace('-slim', '') ?? 'stable';
    await context.command('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', release, tar]);
    await importImage(await engine(), baseImage('debian'), tar, context.signal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const debianBase: Task = {
  name: 'debian',
  does: 'bringing the Debian base image',
  needs: ['engine'],
  done: async () => {
    const found = await findEngine();
    return found !== undefined && hasImage(found, baseImage('debian'), AbortSignal.timeout(patienceMs));
  },
  run: async (context) => {
    if (registryAnswers() !== false && (await tryRegistry(context))) return undefined;
    if (process.env.GUARD_BASE_PREFIX) throw new Error(`${baseImage('debian')} cannot be pulled`);
    await seed(context);
    return undefined;
  },
  mend: 'check that the engine can pull images (GUARD_BASE_PREFIX names a mirror), or install mmdebstrap, then run the same command again',
};
