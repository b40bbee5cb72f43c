import type { Protocol } from '../../contract/daemon/protocols.ts';

export interface Talk {
  readonly description: string;
  /** Talks to the server, once, at a port that is recorded. */
  readonly talk: (port: number) => Promise<void>;
  /** Of recordings that are judged at their end. */
  readonly hasShape?: boolean;
  /** Which of its connections is kept, from 0, where it makes several. */
  readonly connection?: number;
}

/** A server whose conversations are recorded. */
export interface RecordedServer {
  readonly name: string;
  /** Programs that have to be there, and the Debian packages that have them. */
  readonly needs: Readonly<Record<string, string>>;
  /** Starts it with its files in `folder`; the port of each protocol. */
  readonly start: (folder: string) => Promise<{
    readonly ports: Partial<Record<Protocol, number>>;
    readonly stop: () => Promise<void>;
  }>;
  readonly talks: Partial<Record<Protocol, readonly Talk[]>>;
}

/** The account that every server has. */
export const account = { user: 'alice', password: 'secret' } as const;
