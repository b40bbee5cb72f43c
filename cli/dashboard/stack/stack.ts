/** The stack in one folder: its settings, its files and the compose project that runs it. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Compose, openProject } from '../../../compose/compose.ts';
import { cacheFolder, writingCache } from '../../../platform/cache.ts';
import { UsageError } from '../../../platform/errors.ts';
import { acquireLock } from '../../../platform/lock.ts';
import { baseImage, publicImage } from '../../../sandbox-images/bases.ts';
import type { Context } from '../../program/context.ts';
import { diskFiles } from '../../sandbox/runtime/connect.ts';
import { locate } from '../../sandbox/runtime/locate.ts';
import { makeEnterable, modes, replaceFile, shippedFolder, startHash, writeFiles, writing } from './files.ts';
import {
  envFile,
  envText,
  logsFolder,
  readSettings,
  type Settings,
  secretVariable,
  variablesOf,
  type Wanted,
  withSecret,
} from './settings.ts';

const composeName = 'compose.yaml';

/**
 * The user that reads the password file inside the container: its owner, which a rootless runtime shows as root there.
 */
export function ownerInside(env: Context['env']): string {
  const { uid, gid } = userInfo();
  const located = locate(env, diskFiles);
  const [first] = located.ok ? located.endpoints : [];
  const isOfSystem =
    first !== undefined &&
    (first.address.kind !== 'unix' || /^\/(?:var\/run|run(?!\/user))\//.test(first.address.path));
  return isOfSystem && uid >= 0 ? `${uid}:${gid}` : '0:0';
}

const variables = (settings: Settings, env: Context['env'], imageOf?: typeof publicImage): Record<string, string> =>
  variablesOf(settings, { user: ownerInside(env), files: startHash(settings.dir) }, env, imageOf);

/** Whether an image of the stack is one that `scripts/bootstrap` builds on a machine that reaches no image registry. */
export const hasSeededImages = (settings: Settings, env: Context['env']): boolean =>
  !isDeepStrictEqual(variables(settings, env), variables(settings, env, publicImage));

/** Connects to the project. The compose file of the package serves where the folder has none, as after its removal. */
export function openStack(
  settings: Settings,
  { env, signal }: Context,
  imageOf: typeof publicImage = baseImage,
): Promise<Compose> {
  // A compose file without its settings, as after their removal, also needs a secret to list and remove containers.
  const known = withSecret(settings);
  const own = join(settings.dir, composeName);
  const file = existsSync(own) ? own : join(shippedFolder, composeName);
  const all = { ...env, ...variables(known, env, imageOf) } as Record<string, string>;
  return openProject({ name: known.project, file, variables: all, secret: known.secret }, signal);
}

export interface Writing {
  readonly dir: string;
  readonly wanted?: Wanted;
  readonly force: boolean;
  /** Whether another machine uses the files. */
  readonly isForExport?: boolean;
}

export interface Written {
  readonly settings: Settings;
  /** Paths below the folder. */
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

const read = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');

/** Refuses files of the user that lack the secret: Loki would accept every client, or its readers and writers could not log in. */
function refuseOpen(dir: string, kept: readonly string[]): void {
  const names = (folder: string, path: string) => read(folder, path).includes(secretVariable);
  const open = kept.filter((path) => names(shippedFolder, path) && !names(dir, path));
  if (open.length === 0) return;
  throw new UsageError(`${open.join(' and ')} in ${dir}: changed by you, and without ${secretVariable}`, {
    code: 'no_secret',
    hint: `add the lines of ${shippedFolder} that have it, or overwrite your changes with --force`,
  });
}

/** Writes everything that the compose file needs, but for the password of Grafana. */
export function writeStack({ dir, wanted = {}, force, isForExport = false }: Writing, { env }: Context): Written {
  const settings = withSecret(readSettings(dir, env, wanted));
  const changes = writeFiles(dir, force);
  refuseOpen(dir, changes.kept);
  writing(dir, () => {
    makeEnterable(logsFolder(settings));
    const written = variables(settings, env, isForExport ? publicImage : baseImage);
    replaceFile(envFile(dir), envText(settings, written), modes.secret);
    chmodSync(envFile(dir), modes.secret);
  });
  return { settings, ...changes };
}

/** Waits until no other process starts or stops this stack. Returns what lets the next one in. */
export function alone(
  { project }: Settings,
  { env, signal }: Context,
  onWait: (note: string) => void,
): Promise<() => void> {
  const file = join(cacheFolder(env), 'locks', project);
  return writingCache(() => acquireLock(file, { signal, onWait }), env);
}
