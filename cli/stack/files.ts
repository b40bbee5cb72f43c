/** Copies the files of the stack from the package. Keeps files that the user changed. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { UsageError } from '../../platform/errors.ts';
import { makeFolder } from '../../platform/folder.ts';
import { replaceFileSync } from '../../platform/regular-file.ts';
import { writing as writingTo } from '../../platform/writing.ts';

export const shippedFolder = join(packageRoot, 'observability');

/** File with the hashes of the written files. A file with another hash was changed by the user. */
const manifestName = '.guard-files.json';

/** Permissions of the written files. Containers run as other users, and must read all files except secrets. */
export const modes = { file: 0o644, folder: 0o755, secret: 0o600 } as const;

export interface FileChanges {
  readonly written: readonly string[];
  /** Files that the user changed. */
  readonly kept: readonly string[];
}

/** Runs `write`. @throws ExternalError or UsageError when it cannot write below `dir` */
export function withWriteErrors<T>(dir: string, write: () => T): T {
  const refusal = { code: 'folder_unwritable', hint: 'choose a folder that you can write to: --dir' };
  return writingTo(`the files of the stack to ${dir}`, refusal, write);
}

type Manifest = Readonly<Record<string, string>>;

const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Returns sorted paths with forward slashes. */
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

/**
 * Returns true for a path inside the folder of the stack. The manifest may come from another user, together with the
 * folder.
 */
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

/** Creates folders that containers can enter, regardless of the umask. */
export function makeEnterableFolder(dir: string): void {
  for (const made of makeFolder(dir)) chmodSync(made, modes.folder);
}

/** Writes a file and renames it, so that a full disk cannot damage the old one. Returns false for unchanged content. */
export function replaceFile(file: string, content: string | Uint8Array, mode: number = modes.file): boolean {
  if (contentOf(file)?.equals(Buffer.from(content))) return false;
  makeEnterableFolder(dirname(file));
  replaceFileSync(file, (unfinished) => {
    writeFileSync(unfinished, content, { mode });
    chmodSync(unfinished, mode);
  });
  return true;
}

/** Removes files that only an older version had, unless the user changed them. */
function removeOldFiles(dir: string, before: Manifest, shipped: ReadonlySet<string>): void {
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
  removeOldFiles(dir, before, new Set(shipped));
  replaceFile(join(dir, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return { written, kept };
}

/**
 * Writes the files of the stack. Keeps files that the user changed, unless `force`.
 * @throws ExternalError or UsageError when it cannot write, or when `dir` is the folder of the package
 */
export function writeFiles(dir: string, force: boolean, source = shippedFolder): FileChanges {
  if (dir === source)
    throw new UsageError(`${dir} is the folder of guardcli itself`, {
      code: 'conflict',
      hint: 'choose another folder: what is there would become part of every stack, with its password',
    });
  return withWriteErrors(dir, () => writeAll(dir, force, source));
}

const readAtStart = ['collector', 'loki', 'grafana/provisioning'] as const;

/**
 * Returns a hash of the files that services read only at their start. The hash is a label in compose.yaml: when it
 * changes, compose recreates the containers.
 */
export function startHash(dir: string): string {
  const hash = createHash('sha256');
  for (const folder of readAtStart.map((name) => join(dir, name)).filter((path) => existsSync(path)))
    for (const path of filesBelow(folder)) hash.update(`${path}\0`).update(readFileSync(join(folder, path)));
  return hash.digest('hex').slice(0, 16);
}
