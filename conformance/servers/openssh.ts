/** OpenSSH. The key of a user has the name of a password. A session changes its user, which requires root. */
import { type Command, type RealServer, right, type ServerEnvironment, wrong } from './server.ts';

const program = '/usr/bin/ssh';
const anyHost = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'ConnectTimeout=60'];

const local = 'root@127.0.0.1';

/** Returns the arguments of ssh. @param options of OpenSSH, in the form `Name=value` */
const sshArguments = (port: number, options: readonly string[], destination: string, ...more: string[]): string[] => [
  ...['-F', 'none', ...[...anyHost, ...options].flatMap((option) => ['-o', option])],
  ...['-p', `${port}`, destination, ...more],
];

/** Returns arguments of ssh that log in with a key and without a password. @param more the command to run */
export const keyArguments = (port: number, key: string, { folder }: ServerEnvironment, ...more: string[]): string[] => [
  ...['-i', `${folder}/${key}`],
  ...sshArguments(port, ['IdentitiesOnly=yes', 'IdentityAgent=none', 'BatchMode=yes'], local, ...more),
];

/** Returns a command that guesses passwords. A program enters them, because there is no terminal. */
export function guessPasswords(
  port: number,
  { write }: ServerEnvironment,
  prompts: number,
  destination = local,
): Command {
  const askpass = write('askpass', `#!/bin/sh\necho ${wrong}\n`, 0o755);
  return {
    program,
    args: sshArguments(port, ['PubkeyAuthentication=no', `NumberOfPasswordPrompts=${prompts}`], destination, 'true'),
    env: { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' },
  };
}

const settings = ({ folder, ports, address }: ServerEnvironment) => `
Port ${ports.ssh}
ListenAddress ${address}
HostKey ${folder}/host
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
KbdInteractiveAuthentication no
AuthorizedKeysFile ${folder}/${right}.pub
MaxStartups 100
`;

/** It accepts passwords of accounts of the machine. Those of `logins` are refused: there is none with this password. */
export const openssh: RealServer = {
  name: 'OpenSSH',
  needs: {
    '/usr/sbin/sshd': 'openssh-server',
    [program]: 'openssh-client',
    '/usr/bin/ssh-keygen': 'openssh-client',
  },
  protocols: ['ssh'],
  serve: (environment) => {
    const { folder, write, run } = environment;
    for (const name of ['host', right, wrong])
      run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', `${folder}/${name}`);
    run('install', '-d', '/run/sshd');
    return { program: '/usr/sbin/sshd', args: ['-D', '-e', '-f', write('sshd_config', settings(environment))] };
  },
  logins: {
    ssh: {
      isProbable: true,
      hidesPassword: true,
      // The session prints as much as a shell, because the inspector counts the bytes of the server.
      command: (port, password, environment) => ({
        program,
        args: keyArguments(port, password, environment, 'head -c 8192 /dev/zero'),
      }),
    },
  },
};
