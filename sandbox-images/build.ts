/**
 * Builds an artefact once for each version of its inputs. The result is in the cache folder under the hash of the
 * inputs.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { cacheFolder, isFullDisk, writingCache } from '../platform/cache.ts';
import { ExternalError } from '../platform/errors.ts';
import { makeFolder } from '../platform/folder.ts';
import { acquireLock } from '../platform/lock.ts';
import { type ArtefactName, artefacts, oldestGo } from './artefacts.ts';
import { type Architecture, type Compiler, goOnMachine } from './go.ts';
import { goInContainer } from './go-container.ts';
import { publishedProgram } from './published.ts';
import { contentHash } from './sources.ts';

/**
 * Number of results kept for each artefact: the current one, and those of two other branches or clones (Caddy has 60
 * MB).
 */
const keptResults = 3;

export interface BuildOptions {
  /** Architecture of the container runtime. Absent: that of this machine. */
  readonly arch?: Architecture;
  readonly signal?: AbortSignal | undefined;
  /** Receives the output of the compiler: one module or package name per line. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** Returns the architecture of this machine. */
export const ownArch = (): Architecture => (process.arch === 'arm64' ? 'arm64' : 'amd64');

/**
 * Names the compiler of the results in the cache folder. Set where nothing is compiled and the cache folder is
 * read-only.
 */
export const compilerVariable = 'GUARD_COMPILER';

async function findCompiler(name?: ArtefactName): Promise<Compiler> {
  if (process.env[compilerVariable]) {
    throw new ExternalError(`an artefact is not compiled, and cannot be here (${compilerVariable} is set)`, {
      code: 'not_compiled',
      hint: 'compile it before you start the test image',
      failed: { tool: 'go' },
    });
  }
  const compiler = (name && publishedProgram(name)) ?? (await goOnMachine()) ?? (await goInContainer());
  if (compiler) return compiler;
  throw new ExternalError('nothing can compile: there is neither Go nor an image of it', {
    code: 'no_compiler',
    hint: `install Go ${oldestGo} or newer, or a container runtime that can pull images`,
    failed: { tool: 'go' },
  });
}

/** Removes the least recently used results of this artefact. */
function dropOldest(folder: string, name: ArtefactName): void {
  const results = readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`))
    .map((file) => ({ path: join(folder, file), used: statSync(join(folder, file)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { path } of results.slice(keptResults)) rmSync(path, { force: true });
}

async function build(name: ArtefactName, result: string, compiler: Compiler, options: BuildOptions): Promise<void> {
  const unfinished = join(dirname(result), `.${name}.${process.pid}`);
  const arch = options.arch ?? ownArch();
  const { signal, onProgress } = options;
  try {
    const job = { artefact: artefacts[name], root: packageRoot, arch, output: unfinished };
    await compiler.build({ ...job, signal, onText: onProgress });
    renameSync(unfinished, result);
    dropOldest(dirname(result), name);
  } catch (error) {
    if (!isFullDisk(error)) throw error;
    throw new ExternalError(`the disk is full: ${name} cannot be built into ${dirname(result)}`, {
      code: 'disk_full',
      hint: 'free space there and in the build cache of Go',
      failed: { tool: 'go' },
      cause: error,
    });
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Identifies the compiler down to its version. @throws ExternalError when there is no compiler */
export const compilerId = async (): Promise<string> => process.env[compilerVariable] || (await findCompiler()).id;

/** Returns the path of the artefact, even if it is not built. */
export async function artefactPath(name: ArtefactName, arch: Architecture): Promise<string> {
  const id = publishedProgram(name)?.id ?? (await compilerId());
  return join(cacheFolder(), 'artefacts', `${name}-${contentHash(packageRoot, artefacts[name], id, arch)}`);
}

/** Whether the result exists. Updates its time, which records the last use. */
function isUsable(result: string): boolean {
  if (!existsSync(result)) return false;
  if (!process.env[compilerVariable]) utimesSync(result, new Date(), new Date());
  return true;
}

/** Whether `buildArtefact` would return immediately. */
export async function isBuilt(name: ArtefactName): Promise<boolean> {
  return isUsable(await artefactPath(name, ownArch()));
}

/**
 * Returns the path of the static Linux binary. Builds it if necessary; other processes that need the same binary wait
 * for the first.
 * @throws ExternalError with the last lines of the compiler
 */
export async function buildArtefact(name: ArtefactName, options: BuildOptions = {}): Promise<string> {
  const result = await artefactPath(name, options.arch ?? ownArch());
  if (isUsable(result)) return result;
  const compiler = await findCompiler(name);
  const release = await writingCache(async () => {
    makeFolder(dirname(result));
    return acquireLock(join(cacheFolder(), 'locks', basename(result)), {
      signal: options.signal,
      onWait: (note) => options.onProgress?.(`${note}\n`),
    });
  });
  try {
    if (!isUsable(result)) await build(name, result, compiler, options);
  } finally {
    release();
  }
  return result;
}
