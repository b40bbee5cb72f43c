/** Records PgBouncer, with psql. It refuses to run as root. Its server does not exist: each login ends before that. */
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from './commands.ts';
import { loginByPsql } from './postgres.ts';
import { account, type RecordedServer } from './server.ts';

const port = 26_432;
const program = '/usr/sbin/pgbouncer';
const accountHome = '/var/lib/postgresql'; // belongs to the account that runs PgBouncer

const accessRules = `
host all clear 0.0.0.0/0 password
host all rejected 0.0.0.0/0 reject
host all digest 0.0.0.0/0 md5
host all all 0.0.0.0/0 scram-sha-256
`;
const users = ['clear', 'rejected', 'digest', 'alice'].map((name) => `"${name}" "${account.password}"\n`);

const configuration = (folder: string) => `
[databases]
* = host=127.0.0.1 port=1
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = hba
auth_hba_file = ${folder}/rules
auth_file = ${folder}/users
client_login_timeout = 5
`;

export const pgbouncer: RecordedServer = {
  name: 'pgbouncer',
  needs: { [program]: 'pgbouncer', '/usr/bin/psql': 'postgresql-client' },
  start: async (folder) => {
    const { uid, gid } = await stat(accountHome);
    await chmod(folder, 0o700);
    await chown(folder, uid, gid);
    const files = { rules: accessRules, users: users.join(''), 'pgbouncer.ini': configuration(folder) };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o644 });
    const file = join(folder, 'pgbouncer.ini');
    return startServer({ postgres: port }, 'setpriv', [
      ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
      ...[program, '-q', file],
    ]);
  },
  talks: {
    postgres: {
      'wrong cleartext password': (at) => loginByPsql(at, 'clear', 'guess'),
      'wrong password by MD5': (at) => loginByPsql(at, 'digest', 'guess'),
      'wrong password by SCRAM': (at) => loginByPsql(at, 'alice', 'guess'),
      'user that does not exist': (at) => loginByPsql(at, 'absent', 'guess'),
      'connection that the rules reject': (at) => loginByPsql(at, 'rejected', account.password),
      'right password, while the server cannot be reached': (at) => loginByPsql(at, 'alice', account.password),
    },
  },
};
