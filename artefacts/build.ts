/** Builds an artefact once for each version of its inputs, into the cache folder. */
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { cacheFolder, isFullDisk, writingCache } from '../platform/cache.ts';
import { ExternalError } from '../platform/errors.ts';
import { makeFolder } from '../platform/folder.ts';
import { acquireLock } from '../platform/lock.ts';
import { type ArtefactName, artefacts, oldestGo } from './artefacts.ts';
import { type Architecture, type Compiler, findLocalGo, type GoTools } from './go.ts';
import { findContainerGo } from './go-container.ts';
import { publishedProgram } from './published.ts';
import { contentHash } from './sources.ts';

/** Number of results that are kept for each artefact: the current one, and those of two other branches or clones. */
const keptResults = 3;

export interface BuildOptions {
  /** Architecture of the container runtime. Absent: that of this machine. */
  readonly arch?: Architecture;
  readonly signal?: AbortSignal | undefined;
  /**
   * Receives the output of the compiler, one module or package name per line, and a line when it waits for a process.
   */
  readonly onProgress?: ((text: string) => void) | undefined;
}

export const localArch = (): Architecture => (process.arch === 'arm64' ? 'arm64' : 'amd64');

/**
 * Variable that names the compiler of cached results, for machines that compile nothing and only read the cache folder.
 */
export const compilerVariable = 'GUARD_COMPILER';

function refuseToCompile(): void {
  if (!process.env[compilerVariable]) return;
  throw new ExternalError(`an artefact is not compiled, and cannot be here (${compilerVariable} is set)`, {
    code: 'not_compiled',
    hint: 'compile it before you start the test image',
    failed: { tool: 'go' },
  });
}

async function findCompiler(name: ArtefactName): Promise<Compiler> {
  refuseToCompile();
  return publishedProgram(name) ?? findGo();
}

/**
 * Returns the Go of this machine or of a container. @throws ExternalError if there is neither, or with GUARD_COMPILER
 */
export async function findGo(): Promise<GoTools> {
  refuseToCompile();
  const go = (await findLocalGo()) ?? (await findContainerGo());
  if (go) return go;
  throw new ExternalError('nothing can compile: there is neither Go nor an image of it', {
    code: 'no_compiler',
    hint: `install Go ${oldestGo} or newer, or a container runtime that can pull images`,
    failed: { tool: 'go' },
  });
}

/** A program in the cache folder. */
interface Cached {
  readonly name: string;
  /** Path of the program, which contains the hash of its inputs. */
  readonly result: string;
  /** Writes the program to the path `output`. */
  readonly make: (output: string) => Promise<unknown>;
}

/** Removes the least recently used results of this name. */
function dropOldest(folder: string, name: string): void {
  const results = readdirSync(folder)
    .filter((file) => new RegExp(`^${name}-[0-9a-f]+$`).test(file))
    .map((file) => ({ path: join(folder, file), used: statSync(join(folder, file)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { path } of results.slice(keptResults)) rmSync(path, { force: true });
}

async function buildResult({ name, result, make }: Cached): Promise<void> {
  const unfinished = join(dirname(result), `.${name}.${process.pid}`);
  try {
    await make(unfinished);
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
export const compilerId = async (): Promise<string> => process.env[compilerVariable] || (await findGo()).id;

/** Returns the path of the artefact, even if it is not built. */
export async function artefactPath(name: ArtefactName, arch: Architecture): Promise<string> {
  const id = publishedProgram(name)?.id ?? (await compilerId());
  return join(cacheFolder(), 'artefacts', `${name}-${contentHash(packageRoot, artefacts[name], id, arch)}`);
}

/** True when the result exists. Updates its time, which records the last use, unless the cache folder is only read. */
function isUsable(result: string): boolean {
  if (!existsSync(result)) return false;
  if (!process.env[compilerVariable]) utimesSync(result, new Date(), new Date());
  return true;
}

/** True when the artefact is already built for the architecture of this machine. */
export async function isBuilt(name: ArtefactName): Promise<boolean> {
  return isUsable(await artefactPath(name, localArch()));
}

/** Returns the path of a program, built if it is absent. Other processes that need it wait for the first. */
export async function buildOnce(cached: Cached, { signal, onProgress }: BuildOptions): Promise<string> {
  const { result } = cached;
  if (isUsable(result)) return result;
  refuseToCompile();
  const release = await writingCache(async () => {
    makeFolder(dirname(result));
    return acquireLock(join(cacheFolder(), 'locks', basename(result)), {
      signal,
      onWait: (note) => onProgress?.(`${note}\n`),
    });
  });
  try {
    if (!isUsable(result)) await buildResult(cached);
  } finally {
    release();
  }
  return result;
}

/** Returns the path of the static Linux binary. @throws ExternalError with the last lines of the compiler */
export async function buildArtefact(name: ArtefactName, options: BuildOptions = {}): Promise<string> {
  const { arch = localArch(), signal, onProgress } = options;
  const make = async (output: string): Promise<unknown> => {
    const compiler = await findCompiler(name);
    return compiler.build({ artefact: artefacts[name], root: packageRoot, arch, output, signal, onText: onProgress });
  };
  return buildOnce({ name, result: await artefactPath(name, arch), make }, options);
}
