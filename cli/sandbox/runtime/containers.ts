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
  /** Networks to join; the container starts on the first one. Empty: the default bridge. */
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
  /** The last stage of the Dockerfile to build. Absent: all of them. */
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

/** One of our items in a container runtime. An image is one item for each of its names, whose id is the name. */
export interface Item {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  /** Of a container or an image, in seconds since the epoch. */
  readonly created?: number;
  /** Of a container or a network. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of a container: the published ports in ascending order, none unless it runs. */
  readonly ports?: readonly number[];
  readonly isRunning?: boolean;
}

/** The outputs of a container. The caller must read both to their end, because an unread one blocks the other. */
export type Outputs = Pick<RunningContainer, 'stdout' | 'stderr'>;

/** The address of a container in one network, and the gateway of that network. Empty: there is none. */
export interface Attachment {
  readonly network: string;
  readonly address: string;
  readonly gateway: string;
}

/** The container runtime that responded. */
interface Runtime {
  /** How it was found, for messages. */
  readonly origin: string;
  readonly address: Address;
  /** CPU architecture of its binaries in the spelling of Go, such as `amd64`. */
  readonly architecture: string;
  /** As it calls itself. */
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
   * Creates, attaches and starts in this order, so that no output is lost. Removes the container when the start fails.
   */
  readonly run: (spec: ContainerSpec) => Promise<RunningContainer>;
  /** The last lines of a container and those that follow, until the container ends or `signal`. */
  readonly follow: (id: string, lines: number, signal: AbortSignal) => Promise<Outputs>;
  /** Networks of a running container. */
  readonly attachments: (id: string) => Promise<readonly Attachment[]>;
  /** Every item with this label, including stopped containers. With a value: only items with that value. */
  readonly list: (kind: Kind, label: string, value?: string) => Promise<readonly Item[]>;
  /**
   * Removes and waits for the end. A container is removed by force; an image loses this name, and is removed with its
   * last one. Does nothing when the item is already gone.
   */
  readonly remove: (item: Pick<Item, 'kind' | 'id'>) => Promise<void>;
}
