/** Records Redis, with redis-cli. */
import { redis as server } from '../servers/redis.ts';
import { right, user, wrong } from '../servers/server.ts';
import { run, sendLines } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const cli = (at: number, password: string, ...more: string[]) =>
  run('redis-cli', ['-p', String(at), '--no-auth-warning', '-a', password, ...more]);

export const redis: RecordedTalks = {
  name: 'server',
  server,
  talks: {
    redis: {
      'redis-cli logs in and sets a key': (at) => cli(at, right, 'SET', 'k', 'v'),
      'redis-cli logs in with a wrong password': (at) => cli(at, wrong, 'PING'),
      'redis-cli logs in by HELLO': (at) => cli(at, right, '-3', '--user', user, 'PING'),
      'redis-cli logs in by HELLO with a wrong password': (at) => cli(at, wrong, '-3', '--user', user, 'PING'),
      'command without a login': (at) => run('redis-cli', ['-p', String(at), 'PING']),
      'AUTH as a command of redis-cli': (at) => run('redis-cli', ['-p', String(at), 'AUTH', user, 'x']),
      'pipelined commands and logins, and the server closes the connection': (at) =>
        sendLines(at, [
          [/^$/, 'SUBSCRIBE news\r\nAUTH guess\r\nAUTH alice secret\r\nPING\r\nQUIT'],
          [/^\+OK\r\n$/m, ''],
        ]),
      'client disconnects after a wrong password': (at) =>
        sendLines(at, [
          [/^$/, 'AUTH guess'],
          [/^-WRONGPASS/, ''],
        ]),
    },
  },
};
