import type { Protocol } from '../../contract/daemon/protocols.ts';

/** Connects to the server once, at a recorded port. */
export type Talk = (port: number) => Promise<void>;

/** A conversation whose client makes several connections. */
export interface LongTalk {
  readonly talk: Talk;
  /** Index of the connection to keep, from 0. */
  readonly connection: number;
}

/** Conversations by their description. */
export type Talks = Readonly<Record<string, Talk | LongTalk>>;

/** A server whose conversations are recorded. */
export interface RecordedServer {
  readonly name: string;
  /** Required programs, and the Debian packages that contain them. */
  readonly needs: Readonly<Record<string, string>>;
  /** Starts the server with its files in `folder`. Returns the port of each protocol. */
  readonly start: (folder: string) => Promise<{
    readonly ports: Partial<Record<Protocol, number>>;
    readonly stop: () => Promise<void>;
  }>;
  readonly talks: Partial<Record<Protocol, Talks>>;
  /** Whether recordings contain duration and bytes, because an inspector infers events from them. */
  readonly hasShape?: true;
}

/** The account on every server. */
export const account = { user: 'alice', password: 'secret' } as const;
