import type { Protocol } from '../../contract/daemon/protocols.ts';

export type Talk = (port: number) => Promise<void>;

/** A conversation whose client makes several connections. */
export interface LongTalk {
  readonly talk: Talk;
  /** Index of the connection that is recorded, from 0. */
  readonly connection: number;
}

export type Talks = Readonly<Record<string, Talk | LongTalk>>;

export interface RecordedServer {
  readonly name: string;
  /** Paths of required programs and libraries, with the packages that contain them. */
  readonly needs: Readonly<Record<string, string>>;
  readonly start: (folder: string) => Promise<{
    readonly ports: Partial<Record<Protocol, number>>;
    readonly stop: () => Promise<void>;
  }>;
  readonly talks: Partial<Record<Protocol, Talks>>;
  /** Whether recordings contain duration and bytes, because an inspector infers events from them. */
  readonly hasShape?: true;
}

/** The account on every server with logins. */
export const account = { user: 'alice', password: 'secret' } as const;
