/** Checks whether a native module of this machine also runs in a container, and lists the files to copy. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { localArch } from './build.ts';
import type { Architecture } from './go.ts';

export type NativeName = 're2';

/** Files of re2: its package.json, its JavaScript, and its native code. */
const files = ['package.json', 're2.js'];
const binary = 'build/Release/re2.node';

/** Newest versions of symbols that the base image has (Debian 12: glibc 2.36, libstdc++ of GCC 12). */
const newestSymbols: Readonly<Record<string, readonly number[]>> = {
  GLIBC: [2, 36],
  GLIBCXX: [3, 4, 30],
  CXXABI: [1, 3, 13],
};

const symbolVersion = /\b(GLIBC|GLIBCXX|CXXABI)_(\d+(?:\.\d+)+)\0/g;

function isNewer(version: readonly number[], than: readonly number[]): boolean {
  const at = version.findIndex((part, index) => part !== (than[index] ?? 0));
  return at >= 0 && (version[at] ?? 0) > (than[at] ?? 0);
}

/** Returns the first symbol version that a program requires and the base image lacks, such as `GLIBC_2.38`. */
export function symbolTooNew(binary: string): string | undefined {
  for (const [, library = '', version = ''] of binary.matchAll(symbolVersion))
    if (isNewer(version.split('.').map(Number), newestSymbols[library] ?? [])) return `${library}_${version}`;
  return undefined;
}

export interface NativeFiles {
  /** Folder that `paths` are relative to. The container has the same paths under `node_modules`. */
  readonly root: string;
  readonly paths: readonly string[];
  /** Why the module cannot run in the container. Then only its package.json is among the files. */
  readonly problem?: string;
}

function problemOf(home: string, arch: Architecture): string | undefined {
  if (process.platform !== 'linux' || arch !== localArch())
    return `this machine has it for ${process.platform} on ${process.arch}, and the container is linux on ${arch}`;
  try {
    const needed = symbolTooNew(readFileSync(join(home, binary), 'latin1'));
    return needed && `it was built for a newer system than the container has (${needed})`;
  } catch {
    return 'it is not installed on this machine';
  }
}

export function nativeFiles(name: NativeName, arch: Architecture): NativeFiles {
  const home = resolve(createRequire(join(packageRoot, 'package.json')).resolve(`${name}/package.json`), '..');
  const problem = problemOf(home, arch);
  const names = problem === undefined ? [...files, binary] : ['package.json'];
  const paths = names.map((file) => `node_modules/${name}/${file}`);
  return { root: resolve(home, '../..'), paths, ...(problem !== undefined && { problem }) };
}
