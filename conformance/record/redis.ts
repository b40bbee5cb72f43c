/** Records Redis, with redis-cli. */
import { run, sendLines, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 26_379;

const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--logfile', '/dev/null'];
const user = ['--user', account.user, 'on', `>${account.password}`, '~*', '+@all'];

const cli = (at: number, password: string, ...more: string[]) =>
  run('redis-cli', ['-p', String(at), '--no-auth-warning', '-a', password, ...more]);

export const redis: RecordedServer = {
  name: 'server',
  needs: { '/usr/bin/redis-server': 'redis-server', '/usr/bin/redis-cli': 'redis-tools' },
  start: async (folder) => {
    return startServer({ redis: port }, '/usr/bin/redis-server', [
      ...options,
      '--dir',
      folder,
      '--requirepass',
      account.password,
      ...user,
    ]);
  },
  talks: {
    redis: {
      'redis-cli logs in and sets a key': (at) => cli(at, account.password, 'SET', 'k', 'v'),
      'redis-cli logs in with a wrong password': (at) => cli(at, 'guess', 'PING'),
      'redis-cli logs in by HELLO': (at) => cli(at, account.password, '-3', '--user', account.user, 'PING'),
      'redis-cli logs in by HELLO with a wrong password': (at) =>
        cli(at, 'guess', '-3', '--user', account.user, 'PING'),
      'command without a login': (at) => run('redis-cli', ['-p', String(at), 'PING']),
      'AUTH as a command of redis-cli': (at) => run('redis-cli', ['-p', String(at), 'AUTH', account.user, 'x']),
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
