/** The image of a sandbox. Its tag is a hash of its inputs. */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { artefactPath, buildArtefact, localArch } from '../../../artefacts/build.ts';
import type { Architecture } from '../../../artefacts/go.ts';
import { nativeFiles } from '../../../artefacts/native.ts';
import { nodeForLinux, nodePath } from '../../../artefacts/node.ts';
import type { Containers } from '../../../containers/containers.ts';
import { imageRepository } from '../../../containers/labels.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { type BaseName, pinnedBase } from '../../../sandbox-images/bases.ts';
import { ensureBase, type Watch } from './base.ts';
import type { ImageParts } from './parts.ts';

/** `paths` are relative to `root`, and the same in the build context. */
interface CopiedFiles {
  readonly root: string;
  readonly paths: readonly string[];
}

export interface Recipe {
  readonly tag: string;
  /** Path on this machine. */
  readonly dockerfile: string;
  readonly stage?: string;
  /** Paths on this machine. The Dockerfile copies them by file name. */
  readonly artefacts: readonly string[];
  /** Files that the Dockerfile copies verbatim. */
  readonly sources: readonly CopiedFiles[];
  /** Why the image lacks the native module. The configuration then omits the keys that need the module. */
  readonly lacksNative?: string;
  /** Build argument BASE. */
  readonly base?: BaseName;
  /** Build arguments: the path of each artefact in the build context. */
  readonly arguments: Readonly<Record<string, string>>;
}

export interface Building extends Watch {
  readonly arch?: Architecture;
}

const isTest = (name: string): boolean => name.endsWith('_test.go') || name === 'testdata';

function filesBelow(path: string, leftOut: readonly string[]): string[] {
  if (leftOut.includes(path)) return [];
  if (!statSync(join(packageRoot, path)).isDirectory()) return [path];
  const names = readdirSync(join(packageRoot, path)).filter((name) => !isTest(name));
  return names.flatMap((name) => filesBelow(`${path}/${name}`, leftOut));
}

/** Sorted paths below the package root, without tests and `leftOut`. */
export function copiedFiles({ sources = [], leftOut = [] }: Pick<ImageParts, 'sources' | 'leftOut'>): string[] {
  return sources.flatMap((path) => filesBelow(path, leftOut)).sort();
}

const filesOf = (sources: readonly CopiedFiles[]): (readonly [path: string, file: string])[] =>
  sources.flatMap(({ root, paths }) => paths.map((path) => [path, join(root, path)] as const));

function contentHash(dockerfile: string, artefacts: readonly string[], sources: readonly CopiedFiles[], base: string) {
  const files = filesOf(sources);
  const hash = createHash('sha256')
    .update(readFileSync(dockerfile))
    .update(JSON.stringify([artefacts, files.map(([path]) => path), base]));
  for (const [, file] of files) {
    const content = readFileSync(file);
    hash.update(`${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Returns the recipe of an image.
 * @param artefacts paths of `target.artefacts` in their order, then of the program and of the runtime, if there are any
 */
function recipeFrom(target: ImageParts, artefacts: readonly string[], arch: Architecture): Recipe {
  const dockerfile = join(packageRoot, target.folder, 'Dockerfile');
  const names = artefacts.map((path) => basename(path)); // each name contains the hash of its content
  const native = target.native && nativeFiles(target.native, arch);
  const ours = { root: packageRoot, paths: copiedFiles(target) };
  const sources = native ? [ours, native] : [ours];
  const { base, stage } = target;
  return {
    tag: `${imageRepository}/${target.name}:${contentHash(dockerfile, names, sources, base ? pinnedBase(base) : '')}`,
    dockerfile,
    artefacts,
    sources,
    ...(base && { base }),
    ...(stage !== undefined && { stage }),
    ...(native?.problem !== undefined && { lacksNative: native.problem }),
    arguments: Object.fromEntries(
      [...target.artefacts, target.program?.name ?? [], target.runtime ?? []].flat().map((name, index) => {
        return [name.toUpperCase(), names[index] ?? ''];
      }),
    ),
  };
}

/** Returns the recipe of an image. Compiles missing artefacts. */
export async function recipeOf(target: ImageParts, { arch = localArch(), signal, onLine }: Building): Promise<Recipe> {
  const onProgress = (text: string): void => {
    for (const line of text.split('\n')) if (line !== '') onLine(line);
  };
  const options = { signal, onProgress, arch };
  const compiled = await Promise.all(target.artefacts.map((name) => buildArtefact(name, options)));
  const program = target.program ? [await target.program.build(options)] : [];
  const runtime = target.runtime ? [await nodeForLinux(arch, { signal, onText: onProgress })] : [];
  return recipeFrom(target, [...compiled, ...program, ...runtime], arch);
}

/** Returns the recipe for the architecture of this machine. Compiles nothing, so the artefacts may be absent. */
export async function plannedRecipe(target: ImageParts): Promise<Recipe> {
  const arch = localArch();
  const compiled = await Promise.all(target.artefacts.map((name) => artefactPath(name, arch)));
  const program = target.program ? [await target.program.path(arch)] : [];
  return recipeFrom(target, [...compiled, ...program, ...(target.runtime ? [nodePath(arch)] : [])], arch);
}

/** Streams the build context as a tar, because artefacts are too large for memory. */
function buildContext({ dockerfile, artefacts, sources }: Recipe): Readable {
  const tar = pack();
  const add = async (): Promise<void> => {
    tar.entry({ name: 'Dockerfile' }, readFileSync(dockerfile));
    for (const path of artefacts) {
      const entry = tar.entry({ name: basename(path), mode: 0o755, size: statSync(path).size });
      await pipeline(createReadStream(path), entry);
    }
    for (const [path, file] of filesOf(sources)) tar.entry({ name: path }, readFileSync(file));
    tar.finalize();
  };
  add().catch((error: Error) => tar.destroy(error));
  return tar as unknown as Readable;
}

export async function ensureImage(recipe: Recipe, containers: Containers, building: Building): Promise<void> {
  if (await containers.hasImage(recipe.tag, building.signal)) return;
  const base = recipe.base && { BASE: await ensureBase(recipe.base, containers, building) };
  const stage = recipe.stage === undefined ? {} : { stage: recipe.stage };
  const spec = {
    tag: recipe.tag,
    ...stage,
    arguments: { ...recipe.arguments, ...base },
    context: buildContext(recipe),
  };
  await containers.build(spec, building.onLine, building.signal);
}
