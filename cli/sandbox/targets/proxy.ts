/** A proxy that a sandbox can run. Each one is a file here and a row in cli/targets/table.ts. */
import type { Policy } from '../../../contract/policy/schema.ts';
import type { ArtefactName } from '../../../sandbox-images/artefacts.ts';
import type { BaseName } from '../../../sandbox-images/bases.ts';
import type { NativeName } from '../../../sandbox-images/native.ts';

/** One policy on one port of the container. */
export interface Site {
  readonly policy: Policy;
  readonly port: number;
}

export interface ConfigFile {
  readonly name: string;
  readonly text: string;
  /** What the file holds that is no text; `text` then says what it is, for people. */
  readonly bytes?: Uint8Array;
}

/** What the configuration of a proxy is made from. */
export interface ProxySetup {
  readonly sites: readonly Site[];
  /** Where requests that pass go: an origin, such as `http://127.0.0.1:9000`. */
  readonly backend: string;
  /** Loopback address of a listener without guard that always leads to the echo. */
  readonly ready: string;
  readonly echo: string;
}

/** What an image is made from. */
export interface ImageParts {
  readonly name: string;
  /** Folder of the Dockerfile, below the package root. */
  readonly folder: string;
  /** The last stage of the Dockerfile to build; absent: all of them. */
  readonly stage?: string;
  /** What the image copies; each is a build argument by its name in upper case. */
  readonly artefacts: readonly ArtefactName[];
  /** Files and folders below the package root that the image copies as they are, at the same paths in the build context. */
  readonly sources?: readonly string[];
  /** Files and folders in them that it does without, besides tests. */
  readonly leftOut?: readonly string[];
  /** A module with native code that the image copies, where that runs in it. */
  readonly native?: NativeName;
  /** What the image is built upon, the build argument BASE; absent: nothing. */
  readonly base?: BaseName;
  /** A Node for Linux is copied as well, as build argument NODE. */
  readonly runtime?: 'node';
}

export interface SandboxProxy extends ImageParts {
  /** The proxy's command line inside the container. */
  readonly command: readonly string[];
  readonly configure: (setup: ProxySetup) => readonly ConfigFile[];
}

/** Where the configuration is unpacked, in a tmpfs. */
export const configFolder = '/etc/guard';
