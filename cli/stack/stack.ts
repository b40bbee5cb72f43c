/** Writes the files of a stack, and connects to the compose project that runs it. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Compose, openProject } from '../../compose/compose.ts';
import { diskFiles } from '../../containers/connect.ts';
import { locate } from '../../containers/locate.ts';
import { cacheFolder, writingCache } from '../../platform/cache.ts';
import { UsageError } from '../../platform/errors.ts';
import { acquireLock } from '../../platform/lock.ts';
import { baseImage, publicImage } from '../../sandbox-images/bases.ts';
import type { Context } from '../program/context.ts';
import {
  makeEnterableFolder,
  modes,
  replaceFile,
  shippedFolder,
  startHash,
  withWriteErrors,
  writeFiles,
} from './files.ts';
import { createPassword } from './password.ts';
import {
  envFile,
  envText,
  logsFolder,
  type RequestedPorts,
  readSettings,
  type Settings,
  secretVariable,
  variablesOf,
  withSecret,
} from './settings.ts';

/** Receives progress messages of a command, such as `starting loki, collector`. */
export type Report = (note: string) => void;

export type Steps<R> = AsyncGenerator<string, R, void>;

const composeName = 'compose.yaml';

/** Returns the user and group for Grafana: the owner of the password file. In rootless containers, that is root. */
function ownerInside(env: Context['env']): string {
  const { uid, gid } = userInfo();
  const located = locate(env, diskFiles);
  const [first] = located.ok ? located.endpoints : [];
  const isOfSystem =
    first !== undefined &&
    (first.address.kind !== 'unix' || /^\/(?:var\/run|run(?!\/user))\//.test(first.address.path));
  return isOfSystem && uid >= 0 ? `${uid}:${gid}` : '0:0';
}

const variablesFor = (settings: Settings, env: Context['env'], imageOf?: typeof publicImage): Record<string, string> =>
  variablesOf(settings, { user: ownerInside(env), files: startHash(settings.dir) }, env, imageOf);

/** Returns true when the stack uses an image that `scripts/bootstrap` built. */
export const hasSeededImages = (settings: Settings, env: Context['env']): boolean =>
  !isDeepStrictEqual(variablesFor(settings, env), variablesFor(settings, env, publicImage));

/** Connects to the compose project of a stack. Uses the compose file of the package when the folder has none. */
export function openStack(
  settings: Settings,
  { env, signal }: Context,
  imageOf: typeof publicImage = baseImage,
): Promise<Compose> {
  // Compose refuses a file with an unset variable, even to list and remove containers.
  const known = withSecret(settings);
  const own = join(settings.dir, composeName);
  const file = existsSync(own) ? own : join(shippedFolder, composeName);
  const all = { ...env, ...variablesFor(known, env, imageOf) } as Record<string, string>;
  return openProject({ name: known.project, file, variables: all, secret: known.secret }, signal);
}

export interface Writing {
  readonly dir: string;
  readonly requestedPorts?: RequestedPorts;
  readonly force: boolean;
  /** True when the files are for another machine, where only public images exist. */
  readonly isForExport?: boolean;
}

export interface WrittenFiles {
  readonly settings: Settings;
  /** Paths relative to the folder of the stack. */
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

const readFile = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');

/** Refuses files that the user changed and that lack the secret: Loki would accept every client. @throws UsageError */
function refuseWithoutSecret(dir: string, kept: readonly string[]): void {
  const names = (folder: string, path: string) => readFile(folder, path).includes(secretVariable);
  const open = kept.filter((path) => names(shippedFolder, path) && !names(dir, path));
  if (open.length === 0) return;
  throw new UsageError(`${open.join(' and ')} in ${dir}: changed by you, and without ${secretVariable}`, {
    code: 'no_secret',
    hint: `add the lines of ${shippedFolder} that have it, or overwrite your changes with --force`,
  });
}

/** Writes all files of the stack except the password of Grafana. */
export function writeStack(
  { dir, requestedPorts = {}, force, isForExport = false }: Writing,
  { env }: Context,
): WrittenFiles {
  const settings = withSecret(readSettings(dir, env, requestedPorts));
  const changes = writeFiles(dir, force);
  refuseWithoutSecret(dir, changes.kept);
  withWriteErrors(dir, () => {
    makeEnterableFolder(logsFolder(settings));
    const written = variablesFor(settings, env, isForExport ? publicImage : baseImage);
    replaceFile(envFile(dir), envText(settings, written), modes.secret);
    chmodSync(envFile(dir), modes.secret);
  });
  return { settings, ...changes };
}

export interface ExportResult {
  readonly dir: string;
  readonly written: readonly string[];
  /** Files that the user changed. */
  readonly kept: readonly string[];
  /** Password of Grafana, if this command created it. */
  readonly adminPassword: string | null;
}

export function exportStack(request: Writing, context: Context): ExportResult {
  const { settings, written, kept } = writeStack({ ...request, isForExport: true }, context);
  return { dir: settings.dir, written, kept, adminPassword: createPassword(settings.dir) ?? null };
}

/** Locks the stack. Waits while another process has the lock. Returns a function that unlocks the stack. */
export function lockStack(
  { project }: Settings,
  { env, signal }: Context,
  onWait: (note: string) => void,
): Promise<() => void> {
  const file = join(cacheFolder(env), 'locks', project);
  return writingCache(() => acquireLock(file, { signal, onWait }), env);
}
