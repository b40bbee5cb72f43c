/** Records MQTT of Mosquitto, with its own clients. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { disconnectAtTurn, run, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 21_883;

const configuration = (folder: string) => `
listener ${port} 127.0.0.1
allow_anonymous false
password_file ${folder}/passwords
`;

const publish = (at: number, ...more: string[]) =>
  run('mosquitto_pub', ['-h', '127.0.0.1', '-p', String(at), '-i', 'probe', '-t', 'a', '-m', 'x', ...more]);
const loginArguments = (password: string) => ['-u', account.user, '-P', password];

export const mosquitto: RecordedServer = {
  name: 'mosquitto',
  needs: { '/usr/sbin/mosquitto': 'mosquitto', '/usr/bin/mosquitto_pub': 'mosquitto-clients' },
  start: async (folder) => {
    const passwords = join(folder, 'passwords');
    await run('mosquitto_passwd', ['-c', '-b', passwords, account.user, account.password]);
    await writeFile(join(folder, 'mosquitto.conf'), configuration(folder));
    await chmod(folder, 0o755); // the server changes to its own account before it reads
    await chmod(passwords, 0o644);
    return startServer({ mqtt: port }, '/usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')]);
  },
  talks: {
    mqtt: {
      'client logs in with 3.1.1': (at) => publish(at, ...loginArguments(account.password)),
      'client logs in with 3.1.1 and a wrong password': (at) => publish(at, ...loginArguments('guess')),
      'client without a user name': (at) => publish(at),
      'client logs in with 3.1 and a wrong password': (at) => publish(at, '-V', 'mqttv31', ...loginArguments('guess')),
      'client logs in with 5 and sets a will': (at) =>
        publish(at, '-V', 'mqttv5', '--will-topic', 'w', '--will-payload', 'bye', ...loginArguments(account.password)),
      'client logs in with 5 and a wrong password': (at) => publish(at, '-V', 'mqttv5', ...loginArguments('guess')),
      'client disconnects when the server responds': (at) =>
        disconnectAtTurn(at, 1, (own) => publish(own, ...loginArguments('guess'))),
    },
  },
};
