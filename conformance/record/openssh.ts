/** Records SSH of OpenSSH with its own client. */
import { guessPasswords, keyArguments, openssh as server } from '../servers/openssh.ts';
import { runClient } from '../servers/running.ts';
import { right, type ServerEnvironment, wrong } from '../servers/server.ts';
import { disconnectAtTurn, run } from './commands.ts';
import type { RecordedTalks, Talk } from './talks.ts';

const withUnknownKey = (at: number, environment: ServerEnvironment, ...more: string[]) =>
  run('ssh', [...more, ...keyArguments(at, wrong, environment)]);

const guess =
  (prompts: number): Talk =>
  async (at, environment) =>
    void (await runClient(guessPasswords(at, environment, prompts)));

export const openssh: RecordedTalks = {
  name: 'openssh',
  server,
  hasShape: true,
  talks: {
    ssh: {
      'unknown key': withUnknownKey,
      'unknown key, with another cipher and key exchange': (at, environment) =>
        withUnknownKey(at, environment, '-caes256-ctr', '-mhmac-sha2-512', '-oKexAlgorithms=ecdh-sha2-nistp256'),
      'wrong password': guess(1),
      'three wrong passwords': guess(3),
      'client disconnects during the key exchange': (at, environment) =>
        disconnectAtTurn(at, 3, (own) => withUnknownKey(own, environment)),
      'login and a shell that ends immediately': (at, environment) =>
        run('sh', ['-c', 'echo exit | "$@"', 'sh', 'ssh', '-tt', ...keyArguments(at, right, environment)]),
      'client requests only the host keys': (at) =>
        run('ssh-keyscan', ['-t', 'ed25519', '-p', String(at), '127.0.0.1']),
    },
  },
};
