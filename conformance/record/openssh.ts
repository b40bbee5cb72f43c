/** Records SSH of OpenSSH with its own client. Needs root, because a login session changes its user. */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { disconnectAtTurn, run, startServer } from './commands.ts';
import type { RecordedServer } from './server.ts';

const port = 21_022;
let keysFolder = '';

const options = [
  ...['-F', '/dev/null', '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'],
  ...['-o', 'IdentitiesOnly=yes'],
];

const configuration = (folder: string) => `
Port ${port}
ListenAddress 127.0.0.1
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/authorized
StrictModes no
PidFile none
`;

const argumentsOf = (at: number, key: string, ...more: string[]) => [
  ...options,
  '-i',
  join(keysFolder, key),
  '-p',
  String(at),
  ...more,
  'root@127.0.0.1',
];

const ssh = (at: number, key: string, ...more: string[]) =>
  run('ssh', ['-o', 'BatchMode=yes', ...argumentsOf(at, key, ...more)]);

/** Tries wrong passwords. A program provides them, because the client has no terminal. */
const guess = (at: number, prompts: number) =>
  run('env', [
    ...[`SSH_ASKPASS=${keysFolder}/askpass`, 'SSH_ASKPASS_REQUIRE=force', 'ssh', '-o', 'PubkeyAuthentication=no'],
    ...['-o', `NumberOfPasswordPrompts=${prompts}`, ...argumentsOf(at, 'unknown')],
  ]);

const shell = (at: number) => run('sh', ['-c', 'echo exit | "$@"', 'sh', 'ssh', ...argumentsOf(at, 'known', '-tt')]);

export const openssh: RecordedServer = {
  name: 'openssh',
  needs: { '/usr/sbin/sshd': 'openssh-server', '/usr/bin/ssh': 'openssh-client' },
  start: async (folder) => {
    keysFolder = folder;
    for (const name of ['host', 'known', 'unknown'])
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    await copyFile(join(folder, 'known.pub'), join(folder, 'authorized'));
    await writeFile(join(folder, 'sshd_config'), configuration(folder));
    await writeFile(join(folder, 'askpass'), '#!/bin/sh\necho guess\n', { mode: 0o755 });
    return startServer({ ssh: port }, '/usr/sbin/sshd', [
      '-D',
      '-f',
      join(folder, 'sshd_config'),
      '-E',
      join(folder, 'log'),
    ]);
  },
  hasShape: true,
  talks: {
    ssh: {
      'unknown key': (at) => ssh(at, 'unknown'),
      'unknown key, with another cipher and key exchange': (at) =>
        ssh(at, 'unknown', '-c', 'aes256-ctr', '-m', 'hmac-sha2-512', '-o', 'KexAlgorithms=ecdh-sha2-nistp256'),
      'wrong password': (at) => guess(at, 1),
      'three wrong passwords': (at) => guess(at, 3),
      'client disconnects during the key exchange': (at) => disconnectAtTurn(at, 3, (own) => ssh(own, 'unknown')),
      'login and a shell that ends immediately': (at) => shell(at),
      'client requests only the host keys': (at) =>
        run('ssh-keyscan', ['-t', 'ed25519', '-p', String(at), '127.0.0.1']),
    },
  },
};
