import { type RealServer, right, user } from './server.ts';

export const redis: RealServer = {
  name: 'Redis',
  needs: { '/usr/bin/redis-server': 'redis-server', '/usr/bin/redis-cli': 'redis-tools' },
  protocols: ['redis'],
  serve: ({ folder, ports }) => ({
    program: '/usr/bin/redis-server',
    args: [
      ...['--port', `${ports.redis}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder, '--requirepass', right],
      ...['--user', user, 'on', `>${right}`, '~*', '+@all'],
    ],
  }),
  logins: {
    redis: {
      command: (port, password) => ({
        program: '/usr/bin/redis-cli',
        args: ['-h', '127.0.0.1', '-p', `${port}`, 'ping'],
        env: { REDISCLI_AUTH: password },
      }),
      isLoggedIn: (output) => output.includes('PONG'),
    },
  },
};
