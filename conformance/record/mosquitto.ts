/** Records MQTT of Mosquitto, with its own clients. */
import { mosquitto as server } from '../servers/mosquitto.ts';
import { right, user, wrong } from '../servers/server.ts';
import { disconnectAtTurn, run } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const publish = (at: number, ...more: string[]) =>
  run('mosquitto_pub', ['-h', '127.0.0.1', '-p', String(at), '-i', 'probe', '-t', 'a', '-m', 'x', ...more]);
const loginArguments = (password: string) => ['-u', user, '-P', password];

export const mosquitto: RecordedTalks = {
  name: 'mosquitto',
  server,
  talks: {
    mqtt: {
      'client logs in with 3.1.1': (at) => publish(at, ...loginArguments(right)),
      'client logs in with 3.1.1 and a wrong password': (at) => publish(at, ...loginArguments(wrong)),
      'client without a user name': (at) => publish(at),
      'client logs in with 3.1 and a wrong password': (at) => publish(at, '-V', 'mqttv31', ...loginArguments(wrong)),
      'client logs in with 5 and sets a will': (at) =>
        publish(at, '-V', 'mqttv5', '--will-topic', 'w', '--will-payload', 'bye', ...loginArguments(right)),
      'client logs in with 5 and a wrong password': (at) => publish(at, '-V', 'mqttv5', ...loginArguments(wrong)),
      'client disconnects when the server responds': (at) =>
        disconnectAtTurn(at, 1, (own) => publish(own, ...loginArguments(wrong))),
    },
  },
};
