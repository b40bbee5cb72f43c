/** A channel publishes a release in one place, such as npm. */

/** A path below the folder of `make`. */
type File = string;

export interface Release {
  /** A version without a `v`. */
  readonly version: string;
  /** An empty folder. `make` writes only there. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

export interface Channel {
  /** Name for `npm run release -- --only <name>`, and of the folder. */
  readonly name: string;
  readonly to: string;
  /** @throws when a file would not install */
  readonly make: (release: Release) => Promise<readonly File[]>;
  /** Command lines, which run in the folder of the channel. */
  readonly publish: (files: readonly File[], version: string) => readonly string[];
}
