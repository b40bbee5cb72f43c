/** MySQL of MariaDB, with its own client. */
import { join } from 'node:path';
import { certificate, end, leave, listening, occupy, run, start } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 23_306;
const mostConnections = 10; // minimum of the server, which allows one more for an administrator

const accounts = `
  DELETE FROM mysql.global_priv WHERE user = ''; FLUSH PRIVILEGES;
  INSTALL SONAME 'auth_ed25519';
  CREATE USER ${account.user} IDENTIFIED BY '${account.password}';
  CREATE USER ed IDENTIFIED VIA ed25519 USING PASSWORD('${account.password}');
  CREATE USER locked IDENTIFIED BY '${account.password}' ACCOUNT LOCK;
  CREATE USER full IDENTIFIED BY '${account.password}' WITH MAX_USER_CONNECTIONS -1;
`;

/** The client uses TLS unless it is disabled. */
const ask = (at: number, user: string, password: string, tls = '--skip-ssl', ...more: string[]) =>
  run('mariadb', [
    ...['--no-defaults', '-h', '127.0.0.1', '-P', String(at), '-u', user, `-p${password}`, '-e', 'select 1', tls],
    ...more,
  ]);

export const mariadb: RecordedServer = {
  name: 'mariadb',
  needs: {
    '/usr/sbin/mariadbd': 'mariadb-server',
    '/usr/bin/mariadb': 'mariadb-client',
    '/usr/bin/openssl': 'openssl',
  },
  start: async (folder) => {
    const [data, socket] = [join(folder, 'data'), join(folder, 'socket')];
    const common = ['--no-defaults', '--user=root', `--datadir=${data}`];
    await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal']);
    await certificate(folder, 'db.example');
    const tls = ['cert', 'key'].map((part) => `--ssl-${part}=${folder}/${part}.pem`);
    const child = start('/usr/sbin/mariadbd', [
      ...common,
      ...[`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${socket}`, `--pid-file=${folder}/pid`],
      ...[`--max-connections=${mostConnections}`, ...tls],
    ]);
    await listening(port);
    await run('mariadb', ['--no-defaults', '-S', socket, '-u', 'root', '-e', accounts]);
    return { ports: { mysql: port }, stop: () => end(child) };
  },
  talks: {
    mysql: [
      { description: 'login', talk: (at) => ask(at, account.user, account.password) },
      { description: 'login with a wrong password', talk: (at) => ask(at, account.user, 'guess') },
      { description: 'login with ed25519', talk: (at) => ask(at, 'ed', account.password) },
      { description: 'login with ed25519 and a wrong password', talk: (at) => ask(at, 'ed', 'guess') },
      { description: 'locked account', talk: (at) => ask(at, 'locked', account.password) },
      { description: 'locked account, wrong password', talk: (at) => ask(at, 'locked', 'guess') },
      { description: 'account at its connection limit', talk: (at) => ask(at, 'full', account.password) },
      {
        description: 'login with compression',
        talk: (at) => ask(at, account.user, account.password, '--skip-ssl', '-C'),
      },
      { description: 'user that does not exist', talk: (at) => ask(at, 'nobody', 'guess') },
      {
        description: 'login over TLS',
        talk: (at) => ask(at, account.user, account.password, '--ssl'),
      },
      {
        description: 'right password on a server at its connection limit',
        talk: async (at) => {
          const others = await Promise.all(Array.from({ length: mostConnections + 1 }, () => occupy(port)));
          await ask(at, account.user, account.password);
          for (const other of others) other.destroy();
        },
      },
      {
        description: 'client disconnects when the server responds',
        talk: (at) => leave(at, 2, (own) => ask(own, account.user, account.password)),
      },
    ],
  },
};
