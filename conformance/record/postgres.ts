/** PostgreSQL, with psql. The server refuses to run as root, so it runs as its own account. */
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, end, leave, listening, run, start } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 25_432;
const programs = '/usr/lib/postgresql/15/bin';
const owner = 'postgres';
const databases = '/var/lib/postgresql'; // belongs to that account

const whoMay = `
local all postgres trust
host all trusted all trust
host all absent all trust
host all clear all password
host all all all scram-sha-256
`;
const accounts = ['alice', 'clear'].map((name) => `CREATE ROLE ${name} LOGIN PASSWORD '${account.password}'`);

const refused = [
  `CREATE ROLE full LOGIN CONNECTION LIMIT 0 PASSWORD '${account.password}'`,
  `CREATE ROLE old LOGIN VALID UNTIL '2001-01-01' PASSWORD '${account.password}'`,
];

const asOwner = (...args: string[]) => ['-u', owner, '--', ...args];
const psql = (at: number, user: string, password: string, mode = 'disable', database = 'postgres') =>
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
    await run('runuser', asOwner(`${programs}/initdb`, '-D', data, '-U', owner));
    await writeFile(join(data, 'pg_hba.conf'), whoMay);
    await certificate(folder, 'db.example');
    for (const part of ['cert', 'key']) await chown(join(folder, `${part}.pem`), uid, gid);
    const tls = ['-c', 'ssl=on', '-c', `ssl_cert_file=${folder}/cert.pem`, '-c', `ssl_key_file=${folder}/key.pem`];
    const options = ['-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', ...tls];
    const child = start('setpriv', [
      ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
      ...[`${programs}/postgres`, '-D', data, ...options],
    ]);
    await listening(port);
    for (const statement of [...accounts, 'CREATE ROLE trusted LOGIN', ...refused])
      await run('runuser', asOwner('psql', '-h', folder, '-p', String(port), '-c', statement));
    return { ports: { postgres: port }, stop: () => end(child) };
  },
  talks: {
    postgres: [
      { description: 'login by SCRAM', talk: (at) => psql(at, 'alice', account.password) },
      { description: 'login by SCRAM with a wrong password', talk: (at) => psql(at, 'alice', 'guess') },
      { description: 'wrong cleartext password', talk: (at) => psql(at, 'clear', 'guess') },
      { description: 'login without a password', talk: (at) => psql(at, 'trusted', 'x') },
      { description: 'user that does not exist, where no password is needed', talk: (at) => psql(at, 'absent', 'x') },
      {
        description: 'database that does not exist',
        talk: (at) => psql(at, 'alice', account.password, 'disable', 'nothing'),
      },
      { description: 'login over TLS', talk: (at) => psql(at, 'alice', account.password, 'require') },
      { description: 'role at its connection limit', talk: (at) => psql(at, 'full', account.password) },
      { description: 'right password that has expired', talk: (at) => psql(at, 'old', account.password) },
      {
        description: 'client disconnects during a login',
        talk: (at) => leave(at, 2, (own) => psql(own, 'alice', account.password)),
      },
    ],
  },
};
