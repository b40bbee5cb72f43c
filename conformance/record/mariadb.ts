/** Records MySQL of MariaDB, with its own client. */
import { mostConnections, mariadb as server } from '../servers/mariadb.ts';
import { right, user, wrong } from '../servers/server.ts';
import { disconnectAtTurn, openIdleConnection, run } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

/**
 * Runs the client with a query. Disables TLS by default, because the recording of an encrypted conversation shows
 * nothing.
 */
const ask = (at: number, name: string, password: string, tls = '--skip-ssl', ...more: string[]) =>
  run('mariadb', [
    ...['--no-defaults', '-h', '127.0.0.1', '-P', String(at), '-u', name, `-p${password}`, '-e', 'select 1', tls],
    ...more,
  ]);

export const mariadb: RecordedTalks = {
  name: 'mariadb',
  server,
  talks: {
    mysql: {
      login: (at) => ask(at, user, right),
      'login with a wrong password': (at) => ask(at, user, wrong),
      'login with ed25519': (at) => ask(at, 'ed', right),
      'login with ed25519 and a wrong password': (at) => ask(at, 'ed', wrong),
      'locked account': (at) => ask(at, 'locked', right),
      'locked account, wrong password': (at) => ask(at, 'locked', wrong),
      'account at its connection limit': (at) => ask(at, 'full', right),
      'login with compression': (at) => ask(at, user, right, '--skip-ssl', '-C'),
      'user that does not exist': (at) => ask(at, 'nobody', wrong),
      'login over TLS': (at) => ask(at, user, right, '--ssl'),
      'right password on a server at its connection limit': async (at, { ports }) => {
        const dial = () => openIdleConnection(ports.mysql);
        const others = await Promise.all(Array.from({ length: mostConnections + 1 }, dial));
        await ask(at, user, right);
        for (const other of others) other.destroy();
      },
      'client disconnects when the server responds': (at) => disconnectAtTurn(at, 2, (own) => ask(own, user, right)),
    },
  },
};
