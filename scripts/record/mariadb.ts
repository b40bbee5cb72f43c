/** MySQL of MariaDB, with its own client. */
import { join } from 'node:path';
import { end, listening, run, start } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 23_306;

const accounts = `
  DELETE FROM mysql.global_priv WHERE user = ''; FLUSH PRIVILEGES;
  INSTALL SONAME 'auth_ed25519';
  CREATE USER ${account.user} IDENTIFIED BY '${account.password}';
  CREATE USER ed IDENTIFIED VIA ed25519 USING PASSWORD('${account.password}');
  CREATE USER locked IDENTIFIED BY '${account.password}' ACCOUNT LOCK;
`;

const ask = (at: number, user: string, password: string, ...more: string[]) =>
  run('mariadb', [
    ...['--no-defaults', '-h', '127.0.0.1', '-P', String(at), '-u', user, `-p${password}`, '-e', 'select 1'],
    ...more,
  ]);

export const mariadb: RecordedServer = {
  name: 'mariadb',
  needs: { '/usr/sbin/mariadbd': 'mariadb-server', '/usr/bin/mariadb': 'mariadb-client' },
  start: async (folder) => {
    const [data, socket] = [join(folder, 'data'), join(folder, 'socket')];
    const common = ['--no-defaults', '--user=root', `--datadir=${data}`];
    await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal']);
    const child = start('/usr/sbin/mariadbd', [
      ...common,
      ...[`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${socket}`, `--pid-file=${folder}/pid`],
    ]);
    await listening(port);
    await run('mariadb', ['--no-defaults', '-S', socket, '-u', 'root', '-e', accounts]);
    return { ports: { mysql: port }, stop: () => end(child) };
  },
  talks: {
    mysql: [
      { description: 'login', talk: (at) => ask(at, account.user, account.password) },
      { description: 'login that is refused', talk: (at) => ask(at, account.user, 'guess') },
      { description: 'login with ed25519', talk: (at) => ask(at, 'ed', account.password) },
      { description: 'login with ed25519 that is refused', talk: (at) => ask(at, 'ed', 'guess') },
      { description: 'locked account', talk: (at) => ask(at, 'locked', account.password) },
      { description: 'login with compression', talk: (at) => ask(at, account.user, account.password, '-C') },
      { description: 'absent user', talk: (at) => ask(at, 'nobody', 'guess') },
    ],
  },
};
