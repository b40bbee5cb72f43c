import type { Protocol } from '../../contract/daemon/protocols.ts';

export interface Talk {
  readonly description: string;
  /** Connects to the server once, at a recorded port. */
  readonly talk: (port: number) => Promise<void>;
  /** For recordings that are evaluated at their end. */
  readonly hasShape?: boolean;
  /** Index of the connection to keep, from 0, when the client makes several. */
  readonly connection?: number;
}

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
  readonly talks: Partial<Record<Protocol, readonly Talk[]>>;
}

/** The account on every server. */
export const account = { user: 'alice', password: 'secret' } as const;
