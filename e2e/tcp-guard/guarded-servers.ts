/** Real servers on the addresses of the test's namespace, which write the logs that tcp-guard reads. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Owner } from '../support/tmux.ts';

export interface GuardedServer {
  /** The name of the module of hydra. */
  readonly protocol: string;
  readonly format: string;
  readonly port: number;
  readonly log: string;
  /** Matches each wrong password in the log. */
  readonly guesses: RegExp;
}

/** An account of the machine, with a password. */
export const account = { user: 'alice', password: 'right' } as const;

export function makeAccount(): void {
  execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', account.user]);
  execFileSync('chpasswd', [], { input: `${account.user}:${account.password}\n` });
}

interface Started {
  readonly t: Owner;
  readonly folder: string;
}

function start({ t }: Started, program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'ignore' });
  t.after(() => void child.kill('SIGTERM'));
}

/** Writes a file that a server reads, or an empty log. Returns its path. */
function write({ folder }: Started, name: string, text = ''): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function openssh(started: Started): GuardedServer {
  mkdirSync('/run/sshd', { recursive: true });
  const [key, log, port] = [join(started.folder, 'host-key'), write(started, 'sshd.log'), 2022];
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const options = [`Port=${port}`, `HostKey=${key}`, 'PidFile=none', 'UsePAM=no', 'PermitRootLogin=yes'];
  const args = ['-D', '-f', '/dev/null', '-E', log, ...options.flatMap((one) => ['-o', one])];
  start(started, '/usr/sbin/sshd', args);
  return { protocol: 'ssh', format: 'sshd', port, log, guesses: /Failed password for .* from (?<ip>[0-9.]+) port/g };
}

/**
 * With its delay of two seconds, but without the growing penalty for clients with failures: only the ban stops them. hydra
 * tries three passwords on a connection, and without `auth_verbose` they are in the log when it ends.
 */
function dovecot(started: Started): GuardedServer {
  const [log, port] = [write(started, 'dovecot.log'), 2143];
  const users = write(started, 'users', `${account.user}:{PLAIN}${account.password}::::::\n`);
  const lines = [
    ...[`base_dir = ${started.folder}/dovecot`, `log_path = ${log}`, 'protocols = imap', 'ssl = no'],
    ...['disable_plaintext_auth = no', 'auth_verbose = yes', 'first_valid_uid = 1'],
    'service anvil {\n unix_listener anvil-auth-penalty {\n mode = 0\n }\n}',
    `passdb {\n driver = passwd-file\n args = ${users}\n}`,
    `userdb {\n driver = static\n args = uid=mail gid=mail home=${started.folder}\n}`,
    `service imap-login {\n inet_listener imap {\n port = ${port}\n }\n inet_listener imaps {\n port = 0\n }\n}`,
  ];
  start(started, '/usr/sbin/dovecot', ['-F', '-c', write(started, 'dovecot.conf', `${lines.join('\n')}\n`)]);
  const guesses = /passwd-file\([^,]*,(?<ip>[0-9.]+)/g;
  return { protocol: 'imap', format: 'dovecot', port, log, guesses };
}

function vsftpd(started: Started): GuardedServer {
  const [log, port] = [write(started, 'vsftpd.log'), 2121];
  const empty = join(started.folder, 'empty');
  mkdirSync(empty);
  const settings = {
    ...{ listen: 'YES', listen_port: port, background: 'NO', seccomp_sandbox: 'NO', secure_chroot_dir: empty },
    ...{ local_enable: 'YES', anonymous_enable: 'NO', xferlog_enable: 'YES', vsftpd_log_file: log },
  };
  const text = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  start(started, '/usr/sbin/vsftpd', [write(started, 'vsftpd.conf', text.join(''))]);
  return { protocol: 'ftp', format: 'vsftpd', port, log, guesses: /FAIL LOGIN: Client "(?:::ffff:)?(?<ip>[0-9.]+)"/g };
}

/** Starts all servers. Their processes with other users must reach the folder. */
export function startServers(t: Owner, folder: string): readonly GuardedServer[] {
  chmodSync(folder, 0o755);
  return [openssh, dovecot, vsftpd].map((server) => server({ t, folder }));
}
