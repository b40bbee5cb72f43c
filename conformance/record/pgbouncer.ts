/** Records PgBouncer, with psql. */
import { pgbouncer as server, unreachable } from '../servers/postgres.ts';
import { right, wrong } from '../servers/server.ts';
import { loginByPsql } from './postgres.ts';
import type { RecordedTalks } from './talks.ts';

export const pgbouncer: RecordedTalks = {
  name: 'pgbouncer',
  server,
  talks: {
    postgres: {
      'wrong cleartext password': (at) => loginByPsql(at, 'clear', wrong),
      'wrong password by MD5': (at) => loginByPsql(at, 'digest', wrong),
      'wrong password by SCRAM': (at) => loginByPsql(at, 'alice', wrong),
      'user that does not exist': (at) => loginByPsql(at, 'absent', wrong),
      'connection that the rules reject': (at) => loginByPsql(at, 'rejected', right),
      'right password, while the server cannot be reached': (at) =>
        loginByPsql(at, 'alice', right, 'disable', unreachable),
    },
  },
};
