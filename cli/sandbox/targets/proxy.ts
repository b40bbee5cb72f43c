/** The interface of a proxy that a sandbox can run. Each proxy is a file here and a row in cli/targets/table.ts. */
import type { Policy } from '../../../contract/policy/schema.ts';
import type { ArtefactName } from '../../../sandbox-images/artefacts.ts';
import type { BaseName } from '../../../sandbox-images/bases.ts';
import type { BuildOptions } from '../../../sandbox-images/build.ts';
import type { Architecture } from '../../../sandbox-images/go.ts';
import type { NativeName } from '../../../sandbox-images/native.ts';

/** One policy on one port of the container. */
export interface Site {
  readonly policy: Policy;
  readonly port: number;
}

export interface ConfigFile {
  readonly name: string;
  readonly text: string;
  /** Content of a binary file. `text` then describes it for people. */
  readonly bytes?: Uint8Array;
}

/** Input of a proxy configuration. */
export interface ProxySetup {
  readonly sites: readonly Site[];
  /** Origin that receives allowed requests, such as `http://127.0.0.1:9000`. */
  readonly backend: string;
  /** Loopback address of a listener without a guard that relays to the echo. */
  readonly ready: string;
  readonly echo: string;
}

/** Inputs of an image. */
export interface ImageParts {
  readonly name: string;
  /** Folder of the Dockerfile, below the package root. */
  readonly folder: string;
  /** The last stage of the Dockerfile to build. Absent: all of them. */
  readonly stage?: string;
  /** Artefacts that the image copies. Each is a build argument named in upper case. */
  readonly artefacts: readonly ArtefactName[];
  /** A program that is not an artefact, as a build argument of this name in upper case. */
  readonly program?: {
    readonly name: string;
    /** Built or not. */
    readonly path: (arch: Architecture) => Promise<string>;
    readonly build: (options: BuildOptions) => Promise<string>;
  };
  /**
   * Files and folders below the package root that the image copies verbatim, at the same paths in the build context.
   */
  readonly sources?: readonly string[];
  /** Files and folders to exclude from them, besides tests. */
  readonly leftOut?: readonly string[];
  /** A module with native code that the image copies if it runs there. */
  readonly native?: NativeName;
  /** The base image, as build argument BASE. Absent: none. */
  readonly base?: BaseName;
  /** Whether the image also copies a Node for Linux, as build argument NODE. */
  readonly runtime?: 'node';
}

export interface SandboxProxy extends ImageParts {
  /** The proxy's command line inside the container. */
  readonly command: readonly string[];
  readonly configure: (setup: ProxySetup) => readonly ConfigFile[];
}

/** Folder for the unpacked configuration, in a tmpfs. */
export const configFolder = '/etc/guard';
