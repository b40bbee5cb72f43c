/** The interface of a container runtime. Its adapter is docker.ts. */
import type { Readable, Writable } from 'node:stream';
import type { Address } from './endpoint.ts';

export interface PublishedPort {
  readonly hostAddress: '127.0.0.1' | '::1';
  readonly hostPort: number;
  readonly containerPort: number;
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly ports: readonly PublishedPort[];
  /** The container starts on the first network. Empty: the default bridge. */
  readonly networks: readonly string[];
  /** Names that resolve to the machine of the container runtime. */
  readonly hostNames: readonly string[];
  /** True when the caller keeps the standard input of the container open. */
  readonly stdin: boolean;
}

export interface NetworkSpec {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface BuildSpec {
  readonly tag: string;
  /** The last stage of the Dockerfile to build. Absent: all. */
  readonly stage?: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** A tar with the Dockerfile and the files that it copies. */
  readonly context: Readable;
}

/** A started container. The caller must read both outputs to their end: an unread output blocks the proxy. */
export interface RunningContainer {
  readonly id: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit status. Rejects when the connection to the container runtime is lost. */
  readonly exit: Promise<number>;
  /** Ends the streams here. The container keeps running. */
  readonly release: () => void;
}

export type Kind = 'container' | 'network' | 'image';

/** An image is one item for each of its names, with the name as id. An image without a name is one item. */
export interface Item {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  /** Seconds since the epoch. Absent for a network. */
  readonly created?: number;
  /** Absent for an image. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Published ports of a running container, in ascending order. */
  readonly ports?: readonly number[];
  readonly isRunning?: boolean;
}

export interface Listing {
  /** Value of the label. Absent: any. */
  readonly value?: string;
  readonly signal?: AbortSignal;
}

export type Outputs = Pick<RunningContainer, 'stdout' | 'stderr'>;

/** The address of a container in one network. `address` and `gateway` are empty when there is none. */
export interface Attachment {
  readonly network: string;
  readonly address: string;
  readonly gateway: string;
}

interface Runtime {
  /** Where the container runtime was found, for messages. */
  readonly origin: string;
  readonly address: Address;
  /** Architecture in the spelling of Go, such as `amd64`. */
  readonly architecture: string;
  readonly version: string;
}

/** Each call has a time limit: bounds.ts. A signal ends it before. */
export interface Containers {
  readonly runtime: Runtime;
  readonly hasImage: (tag: string, signal?: AbortSignal) => Promise<boolean>;
  /** Builds an image. @throws ExternalError with the last lines of a failed build */
  readonly build: (spec: BuildSpec, onLine: (line: string) => void, signal: AbortSignal) => Promise<void>;
  readonly createNetwork: (spec: NetworkSpec) => Promise<void>;
  /**
   * Starts a container. Attaches before the start, so that no output is lost. Removes the container when the start
   * fails, or `signal` is aborted before.
   */
  readonly run: (spec: ContainerSpec, signal: AbortSignal) => Promise<RunningContainer>;
  /** Streams the last lines and all new ones, until the container ends or `signal` is aborted. */
  readonly follow: (id: string, lines: number, signal: AbortSignal) => Promise<Outputs>;
  readonly attachments: (id: string, signal: AbortSignal) => Promise<readonly Attachment[]>;
  /** Every item with this label, including stopped containers. */
  readonly list: (kind: Kind, label: string, listing?: Listing) => Promise<readonly Item[]>;
  /** Resolves after the removal, also when the item no longer exists. An image is deleted with its last name. */
  readonly remove: (item: Pick<Item, 'kind' | 'id'>, signal?: AbortSignal) => Promise<void>;
}
