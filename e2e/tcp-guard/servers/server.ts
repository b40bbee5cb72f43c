/** A real server and a real client of a protocol that tcp-guard inspects. */
import type { Protocol } from '../../../contract/daemon/protocols.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a server keeps its things, and where it listens. */
export interface Place {
  /** A separate folder that every user may enter. */
  readonly folder: string;
  readonly port: number;
  /** Writes a file into the folder and returns its path. */
  readonly write: (name: string, content: string, mode?: number) => string;
  /** Runs a program to its end. @throws when it fails */
  readonly run: (program: string, ...args: string[]) => void;
  /** Starts a server besides the one that is returned; it is ended with it. */
  readonly besides: (command: Command) => void;
}

export interface RealServer {
  readonly name: string;
  readonly protocol: Protocol;
  /** The block of options of the protocol. */
  readonly options?: object;
  /** What has to be installed, as paths. */
  readonly programs: readonly string[];
  /** Prepares the server and returns what starts it in the foreground. */
  readonly serve: (place: Place) => Command;
  /** A client that logs in: status 0 says that it is in, unless `isIn` says otherwise. */
  readonly login: (port: number, password: string, place: Place) => Command;
  readonly isIn?: (output: string) => boolean;
  /** The server's reply is hidden, so that failed logins are probable only. */
  readonly isProbable?: true;
}

export const [right, wrong] = ['right-password', 'wrong-password'];
export const user = 'probe';

/** curl as a client: its status is 67 where a login is refused. */
export const curl = (url: string, password: string, ...args: string[]): Command => ({
  program: '/usr/bin/curl',
  args: ['-sS', '--max-time', '60', '--user', `${user}:${password}`, ...args, url],
});
