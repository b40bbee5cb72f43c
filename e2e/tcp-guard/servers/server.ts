/** A real server and a real client for a protocol that tcp-guard inspects. */
import type { Protocol } from '../../../contract/daemon/protocols.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ServerEnvironment {
  /** A folder that every user may enter. */
  readonly folder: string;
  readonly port: number;
  /** Writes a file in the folder. Returns its path. */
  readonly write: (name: string, content: string, mode?: number) => string;
  /** @throws when the program fails */
  readonly run: (program: string, ...args: string[]) => void;
  /** Starts another server. It is stopped after the test, like the server of the returned command. */
  readonly startAlongside: (command: Command) => void;
}

export interface RealServer {
  readonly name: string;
  readonly protocol: Protocol;
  /** Options of the service in tcp-guard.yaml. */
  readonly options?: object;
  /** Paths of the programs that must be installed. */
  readonly programs: readonly string[];
  /** Returns the command that runs the server in the foreground. */
  readonly serve: (environment: ServerEnvironment) => Command;
  /** Returns the command that logs in. Status 0 means success, unless `isLoggedIn` is present. */
  readonly login: (port: number, password: string, environment: ServerEnvironment) => Command;
  readonly isLoggedIn?: (output: string) => boolean;
  /** True for encrypted replies, where failed logins are only probable. */
  readonly isProbable?: true;
  /** True where the password is not visible: a repeated one counts each time. */
  readonly hidesPassword?: true;
}

export const [right, wrong] = ['right-password', 'wrong-password'];
export const user = 'probe';

/** Returns a command of curl, which exits with status 67 when the login is refused. */
export const curl = (url: string, password: string, ...args: string[]): Command => ({
  program: '/usr/bin/curl',
  args: ['-sS', '--max-time', '60', '--user', `${user}:${password}`, ...args, url],
});
