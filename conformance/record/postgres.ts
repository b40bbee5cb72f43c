/** Records PostgreSQL, with psql. */
import { psql, postgres as server } from '../servers/postgres.ts';
import { runClient } from '../servers/running.ts';
import { right, wrong } from '../servers/server.ts';
import { disconnectAtTurn } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

export const loginByPsql = async (...login: Parameters<typeof psql>): Promise<void> =>
  void (await runClient(psql(...login)));

export const postgres: RecordedTalks = {
  name: 'postgresql',
  server,
  talks: {
    postgres: {
      'login by SCRAM': (at) => loginByPsql(at, 'alice', right),
      'login by SCRAM with a wrong password': (at) => loginByPsql(at, 'alice', wrong),
      'wrong cleartext password': (at) => loginByPsql(at, 'clear', wrong),
      'login without a password': (at) => loginByPsql(at, 'trusted', 'x'),
      'user that does not exist, where no password is needed': (at) => loginByPsql(at, 'absent', 'x'),
      'database that does not exist': (at) => loginByPsql(at, 'alice', right, 'disable', 'nothing'),
      'login over TLS': (at) => loginByPsql(at, 'alice', right, 'require'),
      'role at its connection limit': (at) => loginByPsql(at, 'full', right),
      'right password that has expired': (at) => loginByPsql(at, 'old', right),
      'right password of a role that may not log in': (at) => loginByPsql(at, 'cannot', right),
      'wrong password that PAM checks': (at) => loginByPsql(at, 'system', wrong),
      'connection that the rules reject': (at) => loginByPsql(at, 'rejected', right),
      'right password, first without TLS, where the rules require TLS': {
        talk: (at) => loginByPsql(at, 'encrypted', right, 'allow'),
        connection: 0,
      },
      'client disconnects during a login': (at) => disconnectAtTurn(at, 2, (own) => loginByPsql(own, 'alice', right)),
    },
  },
};
