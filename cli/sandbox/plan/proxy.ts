/** The interface of a proxy that a sandbox can run. Each proxy is a file in ../targets and a row in its index.ts. */
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
  /** Content of a binary file. `text` then describes the file for `--dry-run`. */
  readonly bytes?: Uint8Array;
}

/** Input of a proxy configuration. */
export interface ProxySetup {
  readonly sites: readonly Site[];
  /** Origin that receives allowed requests, such as `http://127.0.0.1:9000`. */
  readonly backend: string;
  /** Loopback address of a listener that relays to the echo without a guard. The runner polls it. */
  readonly ready: string;
  readonly echo: string;
}

export interface SandboxProxy extends ImageParts {
  /** The proxy's command line inside the container. */
  readonly command: readonly string[];
  readonly configure: (setup: ProxySetup) => readonly ConfigFile[];
}

/** Folder for the unpacked configuration, in a tmpfs. */
export const configFolder = '/etc/guard';
