import type { Protocol } from '../../contract/daemon/protocols.ts';
import type { RealServer, ServerEnvironment } from '../servers/server.ts';

export type Talk = (port: number, environment: ServerEnvironment) => Promise<void>;

/** A conversation whose client makes several connections. */
export interface LongTalk {
  readonly talk: Talk;
  /** Index of the connection that is recorded, from 0. */
  readonly connection: number;
}

export type Talks = Readonly<Record<string, Talk | LongTalk>>;

export interface RecordedTalks {
  /** Name of the vector files, behind the protocol. */
  readonly name: string;
  readonly server: RealServer;
  /** Paths of clients that the server does not need itself, with the packages that contain them. */
  readonly needs?: RealServer['needs'];
  /** Another server that clients need. */
  readonly alongside?: RealServer;
  readonly talks: Partial<Record<Protocol, Talks>>;
  /** Whether recordings contain duration and bytes, because an inspector infers events from them. */
  readonly hasShape?: true;
}
