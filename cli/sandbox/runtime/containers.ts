/** The interface of a container runtime for the sandbox. Its adapter is docker.ts; tests use a fake. */
import type { Readable, Writable } from 'node:stream';
import type { Address } from './endpoint.ts';

/** One published port. Only loopback addresses are published. */
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
  /** Networks to join. The container starts on the first one. An empty list means the default bridge. */
  readonly networks: readonly string[];
  /** Host names that resolve to the machine of the container runtime. */
  readonly hostNames: readonly string[];
  /** The container's standard input stays open while the caller holds it. */
  readonly stdin: boolean;
}

export interface NetworkSpec {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface BuildSpec {
  readonly tag: string;
  /** The last stage of the Dockerfile to build. Absent means all stages. */
  readonly stage?: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** A tar with the Dockerfile and all files that it copies. */
  readonly context: Readable;
}

/** A started container. The caller must read both outputs to their end, because an unread output blocks the proxy. */
export interface RunningContainer {
  readonly id: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Exit status. Rejects when the connection to the container runtime is lost. */
  readonly exit: Promise<number>;
  /** Detaches from the container: it keeps running, and its streams end here. */
  readonly release: () => void;
}

export type Kind = 'container' | 'network' | 'image';

/** One of our items in a container runtime. An image with several names is an item for each name, and the name is its id. */
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

/** The outputs of a container. The caller must read both to their end: an unread output blocks the other one. */
export type Outputs = Pick<RunningContainer, 'stdout' | 'stderr'>;

/** The address of a container in one network, and the gateway of that network. A text is empty when there is none. */
export interface Attachment {
  readonly network: string;
  readonly address: string;
  readonly gateway: string;
}

/** The container runtime that responded. */
interface Runtime {
  /** Where the container runtime was found, for messages. */
  readonly origin: string;
  readonly address: Address;
  /** CPU architecture in the spelling of Go, such as `amd64`. */
  readonly architecture: string;
  /** Version as the container runtime reports it. */
  readonly version: string;
}

export interface Containers {
  readonly runtime: Runtime;
  readonly hasImage: (tag: string) => Promise<boolean>;
  /**
   * Builds an image. Passes lines of the builder to `onLine`. @throws ExternalError with the last lines of a failed
   * build
   */
  readonly build: (spec: BuildSpec, onLine: (line: string) => void, signal: AbortSignal) => Promise<void>;
  readonly createNetwork: (spec: NetworkSpec) => Promise<void>;
  /**
   * Creates, attaches and starts in this order, so that no output is lost. Removes the container when the start fails,
   * or when `signal` is aborted before it has started.
   */
  readonly run: (spec: ContainerSpec, signal: AbortSignal) => Promise<RunningContainer>;
  /** Streams the last lines of a container and all new ones, until the container ends or `signal` is aborted. */
  readonly follow: (id: string, lines: number, signal: AbortSignal) => Promise<Outputs>;
  /** Networks of a running container. */
  readonly attachments: (id: string) => Promise<readonly Attachment[]>;
  /** Returns every item with this label, or with this label and value. Includes stopped containers. */
  readonly list: (kind: Kind, label: string, value?: string) => Promise<readonly Item[]>;
  /**
   * Resolves after the removal. A running container is killed. An image loses this name, and is deleted with its last
   * name. Does nothing when the item no longer exists.
   */
  readonly remove: (item: Pick<Item, 'kind' | 'id'>) => Promise<void>;
}
