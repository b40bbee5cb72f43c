/** A real server and a real client for a protocol that tcp-guard inspects. */
import type { Protocol } from '../../../contract/daemon/protocols.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The folder and the port of a server. */
export interface Place {
  /** A separate folder that every user may enter. */
  readonly folder: string;
  readonly port: number;
  /** Writes a file into the folder and returns its path. */
  readonly write: (name: string, content: string, mode?: number) => string;
  /** Runs a program to its end. @throws when it fails */
  readonly run: (program: string, ...args: string[]) => void;
  /** Starts another server that is stopped together with the returned one. */
  readonly besides: (command: Command) => void;
}

export interface RealServer {
  readonly name: string;
  readonly protocol: Protocol;
  /** Options of the protocol in tcp-guard.yaml. */
  readonly options?: object;
  /** Paths of the required programs. */
  readonly programs: readonly string[];
  /** Configures the server and returns the command that runs it in the foreground. */
  readonly serve: (place: Place) => Command;
  /** Returns the command of a client that logs in. Status 0 means success, unless `isIn` is present. */
  readonly login: (port: number, password: string, place: Place) => Command;
  readonly isIn?: (output: string) => boolean;
  /** The server's reply is encrypted, so failed logins are only probable. */
  readonly isProbable?: true;
}

export const [right, wrong] = ['right-password', 'wrong-password'];
export const user = 'probe';

/** Returns a curl command. Its status is 67 when the login is refused. */
export const curl = (url: string, password: string, ...args: string[]): Command => ({
  program: '/usr/bin/curl',
  args: ['-sS', '--max-time', '60', '--user', `${user}:${password}`, ...args, url],
});
