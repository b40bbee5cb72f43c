/** The inputs of an image. */
import type { ArtefactName } from '../../../sandbox-images/artefacts.ts';
import type { BaseName } from '../../../sandbox-images/bases.ts';
import type { BuildOptions } from '../../../sandbox-images/build.ts';
import type { Architecture } from '../../../sandbox-images/go.ts';
import type { NativeName } from '../../../sandbox-images/native.ts';

export interface ImageParts {
  readonly name: string;
  /** Folder of the Dockerfile, below the package root. */
  readonly folder: string;
  /** The last stage of the Dockerfile to build. Absent means all stages. */
  readonly stage?: string;
  /** Artefacts that the image copies. Each is a build argument named in upper case. */
  readonly artefacts: readonly ArtefactName[];
  /** A program that is not an artefact, as a build argument of this name in upper case. */
  readonly program?: {
    readonly name: string;
    /** Returns the path to which `build` writes. The file may not exist yet. */
    readonly path: (arch: Architecture) => Promise<string>;
    readonly build: (options: BuildOptions) => Promise<string>;
  };
  /**
   * Files and folders below the package root that the image copies verbatim, at the same paths in the build context.
   */
  readonly sources?: readonly string[];
  /** Files and folders to exclude from `sources`, besides tests. */
  readonly leftOut?: readonly string[];
  /** A module with native code. The image copies it if the module supports its architecture. */
  readonly native?: NativeName;
  /** The base image, as build argument BASE. */
  readonly base?: BaseName;
  /** `node`: the image also copies a Node for Linux, as build argument NODE. */
  readonly runtime?: 'node';
}
