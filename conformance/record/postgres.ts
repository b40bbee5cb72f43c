/** Records PostgreSQL, with psql. The server refuses to run as root, so it runs as its own account. */
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, disconnectAtTurn, run, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 25_432;
const programs = '/usr/lib/postgresql/15/bin';
const serverAccount = 'postgres';
const databases = '/var/lib/postgresql'; // belongs to that account

const accessRules = `
local all postgres trust
host all trusted all trust
host all absent all trust
host all clear all password
host all system all pam
hostssl all encrypted all scram-sha-256
host all rejected all reject
host all alice,full,old,cannot all scram-sha-256
`;
const accounts = ['alice', 'clear', 'encrypted'].map(
  (name) => `CREATE ROLE ${name} LOGIN PASSWORD '${account.password}'`,
);

const rolesWithoutLogin = [
  `CREATE ROLE full LOGIN CONNECTION LIMIT 0 PASSWORD '${account.password}'`,
  `CREATE ROLE cannot PASSWORD '${account.password}'`,
  `CREATE ROLE old LOGIN VALID UNTIL '2001-01-01' PASSWORD '${account.password}'`,
];

const asOwner = (...args: string[]) => ['-u', serverAccount, '--', ...args];
export const loginByPsql = (at: number, user: string, password: string, mode = 'disable', database = 'postgres') =>
  run('env', [
    ...[`PGPASSWORD=${password}`, `PGSSLMODE=${mode}`, 'psql', '-h', '127.0.0.1', '-p', String(at)],
    ...['-U', user, '-d', database, '-w', '-c', 'select 1'],
  ]);

export const postgres: RecordedServer = {
  name: 'postgresql',
  needs: {
    [`${programs}/postgres`]: 'postgresql',
    '/usr/bin/psql': 'postgresql-client',
    '/usr/bin/openssl': 'openssl',
  },
  start: async (folder) => {
    const { uid, gid } = await stat(databases);
    await chown(folder, uid, gid);
    await chmod(folder, 0o700);
    const data = join(folder, 'data');
    await run('runuser', asOwner(`${programs}/initdb`, '-D', data, '-U', serverAccount));
    await writeFile(join(data, 'pg_hba.conf'), accessRules);
    await certificate(folder, 'db.example');
    for (const part of ['cert', 'key']) await chown(join(folder, `${part}.pem`), uid, gid);
    const tls = ['-c', 'ssl=on', '-c', `ssl_cert_file=${folder}/cert.pem`, '-c', `ssl_key_file=${folder}/key.pem`];
    const options = ['-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', ...tls];
    const server = await startServer({ postgres: port }, 'setpriv', [
      ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
      ...[`${programs}/postgres`, '-D', data, ...options],
    ]);
    for (const statement of [...accounts, 'CREATE ROLE trusted LOGIN', ...rolesWithoutLogin])
      await run('runuser', asOwner('psql', '-h', folder, '-p', String(port), '-c', statement));
    return server;
  },
  talks: {
    postgres: {
      'login by SCRAM': (at) => loginByPsql(at, 'alice', account.password),
      'login by SCRAM with a wrong password': (at) => loginByPsql(at, 'alice', 'guess'),
      'wrong cleartext password': (at) => loginByPsql(at, 'clear', 'guess'),
      'login without a password': (at) => loginByPsql(at, 'trusted', 'x'),
      'user that does not exist, where no password is needed': (at) => loginByPsql(at, 'absent', 'x'),
      'database that does not exist': (at) => loginByPsql(at, 'alice', account.password, 'disable', 'nothing'),
      'login over TLS': (at) => loginByPsql(at, 'alice', account.password, 'require'),
      'role at its connection limit': (at) => loginByPsql(at, 'full', account.password),
      'right password that has expired': (at) => loginByPsql(at, 'old', account.password),
      'right password of a role that may not log in': (at) => loginByPsql(at, 'cannot', account.password),
      'wrong password that PAM checks': (at) => loginByPsql(at, 'system', 'guess'),
      'connection that the rules reject': (at) => loginByPsql(at, 'rejected', account.password),
      'right password, first without TLS, where the rules require TLS': {
        talk: (at) => loginByPsql(at, 'encrypted', account.password, 'allow'),
        connection: 0,
      },
      'client disconnects during a login': (at) =>
        disconnectAtTurn(at, 2, (own) => loginByPsql(own, 'alice', account.password)),
    },
  },
};
