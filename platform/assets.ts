/** Finds the files of this package. Works in the source tree, in dist/ and in a bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findUp(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) throw new Error(`no ${name} above ${from}`);
  }
}

/** The folder that contains the package's package.json: the clone or the installed package. */
export const packageRoot = findUp('package.json', import.meta.dirname);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Patterns of the files in the npm package. */
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  /** Optional packages, each with the version that the tests run. */
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export const manifest = (): Manifest => JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as Manifest;

/** Returns the version of the package. All programs and the guard have the same version. */
export const packageVersion = (): string => manifest().version;

/**
 * True from the commit of the first release on: packaging/release/tag.ts refuses to tag an earlier one. While it is
 * false, a file that guardcli writes must not install the package by its name, because a stranger could register the
 * name.
 */
export const isPublished: boolean = false;

/** Returns the name of the file that `npm pack` makes in a clone. */
export function packedFile(): string {
  const { name, version } = manifest();
  return `${name}-${version}.tgz`;
}

/**
 * Returns what npm installs in the CI of a user: the published version, or the packed file in the user's repository.
 */
export function installable(isReleased = isPublished): string {
  const { name, version } = manifest();
  return isReleased ? `${name}@${version}` : `./${packedFile()}`;
}

export const publishedImage = (name: string, version: string): string => `ghcr.io/request-guard/${name}:${version}`;

/** Returns the image of tcp-guard: the published one, or until then the one that packaging/container makes. */
export function containerImage(isReleased = isPublished): string {
  const version = packageVersion();
  return isReleased ? publishedImage('tcp-guard', version) : `localhost/request-guard/tcp-guard:${version}`;
}
