/** The inputs of an image. */
import type { ArtefactName } from '../../../artefacts/artefacts.ts';
import type { BuildOptions } from '../../../artefacts/build.ts';
import type { Architecture } from '../../../artefacts/go.ts';
import type { NativeName } from '../../../artefacts/native.ts';
import type { BaseName } from '../../../sandbox-images/bases.ts';

export interface ImageParts {
  readonly name: string;
  /** Folder with the Dockerfile, relative to the package root. */
  readonly folder: string;
  /** The last stage of the Dockerfile to build. Absent: all. */
  readonly stage?: string;
  /** Each artefact is a build argument named in upper case. */
  readonly artefacts: readonly ArtefactName[];
  /** A program that is not an artefact, as a build argument. */
  readonly program?: {
    readonly name: string;
    /** The path to which `build` writes. */
    readonly path: (arch: Architecture) => Promise<string>;
    readonly build: (options: BuildOptions) => Promise<string>;
  };
  /** Files and folders that the image copies, at the same paths as below the package root. */
  readonly sources?: readonly string[];
  /** Exceptions from `sources`, besides tests. */
  readonly leftOut?: readonly string[];
  /** The native module in the image, if the module supports the architecture of the image. */
  readonly native?: NativeName;
  /** Build argument BASE. */
  readonly base?: BaseName;
  /** The image also copies a Node for Linux, as build argument NODE. */
  readonly runtime?: 'node';
}
