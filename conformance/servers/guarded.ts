/** Real servers on every address of this namespace, which write the logs that tcp-guard reads. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dovecot } from './dovecot.ts';
import { openssh } from './openssh.ts';
import { type Owner, startServer } from './running.ts';
import { type RealServer, right, user } from './server.ts';
import { vsftpd } from './vsftpd.ts';

interface Guarded {
  readonly server: RealServer;
  /** Also the name of a module of hydra. */
  readonly protocol: 'ssh' | 'imap' | 'ftp';
  readonly format: string;
  /** Matches each wrong password in the log. */
  readonly guesses: RegExp;
  /** Seconds of the default of the server. */
  readonly failureDelay: number;
}

export interface GuardedServer extends Pick<Guarded, 'protocol' | 'format' | 'guesses'> {
  readonly port: number;
  readonly log: string;
}

export const guardedServers: readonly Guarded[] = [
  {
    ...{ server: openssh, protocol: 'ssh', format: 'sshd', failureDelay: 0 },
    guesses: /Failed password for .* from (?<ip>[0-9.]+) port/g,
  },
  {
    ...{ server: dovecot, protocol: 'imap', format: 'dovecot', failureDelay: 2 },
    guesses: /passwd-file\([^,]*,(?<ip>[0-9.]+)/g,
  },
  {
    ...{ server: vsftpd, protocol: 'ftp', format: 'vsftpd', failureDelay: 1 },
    guesses: /FAIL LOGIN: Client "(?:::ffff:)?(?<ip>[0-9.]+)"/g,
  },
];

/** The wrong passwords of an address in the log of a server. */
export const guessesOf = ({ log, guesses }: GuardedServer, from: string): number =>
  [...readFileSync(log, 'latin1').matchAll(guesses)].filter(({ groups }) => groups?.ip === from).length;

/** Makes an account of the machine, which OpenSSH and vsftpd accept. */
export function makeAccount(): void {
  execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', user]);
  execFileSync('chpasswd', [], { input: `${user}:${right}\n` });
}

export const startServers = (t: Owner): Promise<GuardedServer[]> =>
  Promise.all(
    guardedServers.map(async ({ server, failureDelay, protocol, ...row }) => {
      const { log, ports } = await startServer(t, server, { address: '0.0.0.0', failureDelay });
      return { ...row, protocol, log, port: ports[protocol] };
    }),
  );
