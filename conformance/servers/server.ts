/** A real server for protocols that tcp-guard inspects: its configuration, its user, its log, and a client that logs in. */
import type { Protocol } from '../../contract/daemon/protocols.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How a server is guarded that clients of other hosts attack. OpenSSH, Dovecot and vsftpd have these settings. */
export interface Exposure {
  /** The address at which it listens. */
  readonly address: string;
  /** Seconds until the response to a failed login. */
  readonly failureDelay: number;
}

export interface ServerEnvironment extends Exposure {
  /** A folder that every user may enter. */
  readonly folder: string;
  /** Ports for the protocols of the server. It is ready when it accepts connections at each of them on 127.0.0.1. */
  readonly ports: Readonly<Record<Protocol, number>>;
  /** Path of the log. Every user may append to it. Output of the server and of those alongside is appended to it too. */
  readonly log: string;
  /** Writes a file in the folder, which every user may read. Returns its path. */
  readonly write: (name: string, content: string, mode?: number) => string;
  /** @throws when the program fails */
  readonly run: (program: string, ...args: string[]) => void;
  /** Starts another server. It is stopped together with the server of the returned command. */
  readonly startAlongside: (command: Command) => void;
}

export interface Login {
  /** Returns the command that logs in. Status 0 means success, unless `isLoggedIn` is present. */
  readonly command: (port: number, password: string, environment: ServerEnvironment) => Command;
  readonly isLoggedIn?: (output: string) => boolean;
  /** True for encrypted replies, where failed logins are only probable. */
  readonly isProbable?: true;
  /** True where the password is not visible: a repeated one counts each time. */
  readonly hidesPassword?: true;
}

export type Logins = Partial<Record<Protocol, Login>>;

export interface RealServer {
  readonly name: string;
  /** Paths of required programs and libraries, with the packages that contain them. */
  readonly needs: Readonly<Record<string, string>>;
  readonly protocols: readonly Protocol[];
  /** Returns the command that runs the server in the foreground. */
  readonly serve: (environment: ServerEnvironment) => Command;
  readonly logins?: Logins;
}

/** The account on every server with logins. */
export const [user, right, wrong] = ['alice', 'secret', 'guess'];

/** An account whose password a mail server cannot verify at the moment. */
export const userWithFailingLookup = 'carol';

/** Returns a command of curl, which exits with status 67 when the login is refused. */
export const curl = (url: string, password: string, ...args: string[]): Command => ({
  program: '/usr/bin/curl',
  args: ['-sS', '--max-time', '60', '--user', `${user}:${password}`, ...args, url],
});

/** Creates a certificate. @param owner the account that reads the key */
export function certificate({ folder, run }: ServerEnvironment, name: string, owner = 'root') {
  const [key, certificate] = [`${folder}/key.pem`, `${folder}/cert.pem`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  run('openssl', 'req', '-x509', ...curve, '-subj', `/CN=${name}`, '-keyout', key, '-out', certificate);
  run('chown', owner, key);
  return { key, certificate };
}
