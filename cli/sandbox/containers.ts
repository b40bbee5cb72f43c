/** The container runtime as the sandbox knows it: one small port. Its adapter is docker.ts; tests have their own. */
import type { Readable, Writable } from 'node:stream';
import type { Address } from './endpoint.ts';

/** One published port. Only loopback addresses are ever published. */
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
  /** Networks to be on, the first one from the start; none: the default bridge. */
  readonly networks: readonly string[];
  /** Host names that lead to the machine the container runtime runs on. */
  readonly hostNames: readonly string[];
  /** Standard input stays open for as long as the caller holds it. */
  readonly stdin: boolean;
}

export interface NetworkSpec {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface BuildSpec {
  readonly tag: string;
  /** The last stage of the Dockerfile to build; absent: all of them. */
  readonly stage?: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** A tar with the Dockerfile and all that it copies. */
  readonly context: Readable;
}

/** A started container. Both outputs must be read to their end: an unread output blocks the proxy. */
export interface RunningContainer {
  readonly id: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Status it ended with; rejects when the container runtime goes away. */
  readonly exit: Promise<number>;
  /** Lets go of it: it runs on, and its streams end here. */
  readonly release: () => void;
}

export type Kind = 'container' | 'network' | 'image';

/** Something of ours that a container runtime holds. */
export interface Item {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
}

/** The address of a container on one network, and of that network's gateway; empty where there is none. */
export interface Attachment {
  readonly network: string;
  readonly address: string;
  readonly gateway: string;
}

/** The container runtime that answered. */
export interface Runtime {
  /** How it was found, for messages. */
  readonly origin: string;
  readonly address: Address;
  /** Of the binaries it runs, in Go's spelling, such as `amd64`. */
  readonly architecture: string;
}

export interface Containers {
  readonly runtime: Runtime;
  readonly hasImage: (tag: string) => Promise<boolean>;
  /** Builds an image; lines of the builder go to `onLine`. @throws ExternalError with the last lines of a failed build */
  readonly build: (spec: BuildSpec, onLine: (line: string) => void, signal: AbortSignal) => Promise<void>;
  readonly createNetwork: (spec: NetworkSpec) => Promise<void>;
  /** Creates, attaches and starts, in this order, so that no output is lost. Removed again when it does not start. */
  readonly run: (spec: ContainerSpec) => Promise<RunningContainer>;
  /** Networks that a running container is on. */
  readonly attachments: (id: string) => Promise<readonly Attachment[]>;
  /** Everything with this label, stopped containers included; with a value: with that value alone. */
  readonly list: (kind: Kind, label: string, value?: string) => Promise<readonly Item[]>;
  /** Removes by force and waits until it is gone; nothing happens when it already is. */
  readonly remove: (item: Pick<Item, 'kind' | 'id'>) => Promise<void>;
}
