/** A channel publishes a release in one place, such as npm. */

/** A file or folder that `make` wrote, as a path below the folder of the channel. */
type File = string;

export interface Release {
  /** Version of everything that is released, without a `v`. */
  readonly version: string;
  /** The empty folder of the channel. `make` writes only there. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

export interface Channel {
  /** Name for `npm run release -- --only <name>`, and of the folder. */
  readonly name: string;
  readonly to: string;
  /** How long `make` takes on a small machine, such as `4 minutes`. */
  readonly takes: string;
  /** Makes the files. @throws when one cannot be made, or is larger than its bound */
  readonly make: (release: Release) => Promise<readonly File[]>;
  /** Returns the command lines that publish the files. They run in the folder of the channel. */
  readonly publish: (files: readonly File[], version: string) => readonly string[];
}
