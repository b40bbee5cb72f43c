/** The files of the stack: those of the package, without taking away what the user changed. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { UsageError } from '../../../platform/errors.ts';
import { makeFolder } from '../../../platform/folder.ts';
import { writing as writingTo } from '../../../platform/writing.ts';

/** Where the package has them. */
export const shippedFolder = join(packageRoot, 'observability');

/** Hashes of what was written: they distinguish a change of the user from an older version. */
const manifestName = '.guard-files.json';

/** Containers read the files as other users, but not what is secret. */
export const modes = { file: 0o644, folder: 0o755, secret: 0o600 } as const;

export interface FileChanges {
  readonly written: readonly string[];
  /** Files that the user changed, and that differ from ours. */
  readonly kept: readonly string[];
}

/** Runs what writes below the folder of the stack. @throws ExternalError or UsageError when the folder refuses it */
export function writing<T>(dir: string, write: () => T): T {
  const refusal = { code: 'folder_unwritable', hint: 'choose a folder that you can write to: --dir' };
  return writingTo(`the files of the stack to ${dir}`, refusal, write);
}

type Manifest = Readonly<Record<string, string>>;

const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Paths of all files below a folder, with forward slashes, sorted. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** A path below the folder: the list may come with a folder of another user. */
const isBelow = (path: string): boolean => !isAbsolute(path) && !path.split(/[\\/]/).includes('..');

function readManifest(dir: string): Manifest {
  try {
    const value: unknown = JSON.parse(readFileSync(join(dir, manifestName), 'utf8'));
    return Object.fromEntries(
      Object.entries(value ?? {}).filter(([path, hash]) => isBelow(path) && typeof hash === 'string'),
    );
  } catch {
    return {};
  }
}

/** Makes folders that containers can enter, whatever the umask is. */
export function makeEnterable(dir: string): void {
  for (const made of makeFolder(dir)) chmodSync(made, modes.folder);
}

/** Replaces the file as a whole: a full disk leaves the old one. Writes nothing when the content is the same. */
export function replaceFile(file: string, content: string | Uint8Array, mode: number = modes.file): boolean {
  if (contentOf(file)?.equals(Buffer.from(content))) return false;
  makeEnterable(dirname(file));
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, content, { mode });
    chmodSync(unfinished, mode);
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return true;
}

/** Removes files of an older version that the user did not change. */
function removeOld(dir: string, before: Manifest, shipped: ReadonlySet<string>): void {
  for (const [path, hash] of Object.entries(before)) {
    const file = join(dir, path);
    const content = shipped.has(path) ? undefined : contentOf(file);
    if (content && hashOf(content) === hash) rmSync(file);
  }
}

function writeAll(dir: string, force: boolean, source: string): FileChanges {
  const before = readManifest(dir);
  const manifest: Record<string, string> = {};
  const [written, kept]: [string[], string[]] = [[], []];
  const shipped = filesBelow(source);
  for (const path of shipped) {
    const ours = readFileSync(join(source, path));
    const theirs = contentOf(join(dir, path));
    const isTheirs = theirs !== undefined && !theirs.equals(ours) && hashOf(theirs) !== before[path];
    if (isTheirs && !force) {
      kept.push(path);
      if (before[path] !== undefined) manifest[path] = before[path];
      continue;
    }
    if (replaceFile(join(dir, path), ours)) written.push(path);
    manifest[path] = hashOf(ours);
  }
  removeOld(dir, before, new Set(shipped));
  replaceFile(join(dir, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return { written, kept };
}

/**
 * Writes what is missing or of an older version. A file that the user changed is kept, unless `force`.
 * @throws ExternalError or UsageError when the folder cannot be written to
 */
export function writeFiles(dir: string, force: boolean, source = shippedFolder): FileChanges {
  if (dir === source)
    throw new UsageError(`${dir} is the folder of guardcli itself`, {
      code: 'conflict',
      hint: 'choose another folder: what is there would become part of every stack, with its password',
    });
  return writing(dir, () => writeAll(dir, force, source));
}

/** Folders whose files the services read once, at their start. */
const readAtStart = ['collector', 'loki', 'grafana/provisioning'] as const;

/**
 * Returns a hash of the files that services read only at their start. It is the value of a compose label, so a changed
 * file recreates the containers.
 */
export function startHash(dir: string): string {
  const hash = createHash('sha256');
  for (const folder of readAtStart.map((name) => join(dir, name)).filter((path) => existsSync(path)))
    for (const path of filesBelow(folder)) hash.update(`${path}\0`).update(readFileSync(join(folder, path)));
  return hash.digest('hex').slice(0, 16);
}
