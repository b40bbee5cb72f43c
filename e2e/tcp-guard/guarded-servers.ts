/** Real servers on the addresses of the test's namespace, which write the logs that tcp-guard reads. */
import { execFileSync } from 'node:child_process';
import { dovecot } from '../../conformance/servers/dovecot.ts';
import { openssh } from '../../conformance/servers/openssh.ts';
import { startServer } from '../../conformance/servers/running.ts';
import { type RealServer, right, user } from '../../conformance/servers/server.ts';
import { vsftpd } from '../../conformance/servers/vsftpd.ts';
import type { Owner } from '../support/tmux.ts';

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
