/** The type of a channel: what a release publishes in one place, such as npm. channels.ts lists the channels. */

/** A file that `make` has written, as a path below its folder. */
type File = string;

export interface Release {
  /** Version of everything that is released, without a `v`. */
  readonly version: string;
  /** The empty folder of this channel. `make` writes only there. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Receives the output of tools. */
  readonly onText: (text: string) => void;
}

export interface Channel {
  /** Name for `npm run release -- --only <name>`, and of its folder. */
  readonly name: string;
  /** Where the files go, in the words of the channel. */
  readonly to: string;
  /** Makes and checks the files. @throws when one of them would not install */
  readonly make: (release: Release) => Promise<readonly File[]>;
  /** Command lines that publish the files. They run in the folder of the channel. */
  readonly publish: (files: readonly File[], version: string) => readonly string[];
}
