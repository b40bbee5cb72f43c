/** A proxy that a sandbox can run. Each proxy is a row in ../targets/index.ts. */
import type { Policy } from '../../../contract/policy/schema.ts';
import type { ImageParts } from '../image/parts.ts';

/** One policy on one port of the container. */
export interface Site {
  readonly policy: Policy;
  readonly port: number;
}

export interface ConfigFile {
  readonly name: string;
  readonly text: string;
  /** Content of a binary file. `text` then describes it for `--dry-run`. */
  readonly bytes?: Uint8Array;
}

export interface ProxySetup {
  readonly sites: readonly Site[];
  /** Origin that receives allowed requests, such as `http://127.0.0.1:9000`. */
  readonly backend: string;
  /** Address of a listener that relays to the echo without a guard. The runner polls it. */
  readonly ready: string;
  readonly echo: string;
}

export interface SandboxProxy extends ImageParts {
  /** Command line in the container. */
  readonly command: readonly string[];
  readonly configure: (setup: ProxySetup) => readonly ConfigFile[];
}

/** Folder of the configuration in the container, a tmpfs. */
export const configFolder = '/etc/guard';
