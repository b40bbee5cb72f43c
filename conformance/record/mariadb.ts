/** Records MySQL of MariaDB, with its own client. */
import { join } from 'node:path';
import { certificate, disconnectAtTurn, openIdleConnection, run, startServer } from './commands.ts';
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

/**
 * Runs the client with a query. Disables TLS by default, because the recording of an encrypted conversation shows
 * nothing.
 */
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
    const server = await startServer({ mysql: port }, '/usr/sbin/mariadbd', [
      ...common,
      ...[`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${socket}`, `--pid-file=${folder}/pid`],
      ...[`--max-connections=${mostConnections}`, ...tls],
    ]);
    await run('mariadb', ['--no-defaults', '-S', socket, '-u', 'root', '-e', accounts]);
    return server;
  },
  talks: {
    mysql: {
      login: (at) => ask(at, account.user, account.password),
      'login with a wrong password': (at) => ask(at, account.user, 'guess'),
      'login with ed25519': (at) => ask(at, 'ed', account.password),
      'login with ed25519 and a wrong password': (at) => ask(at, 'ed', 'guess'),
      'locked account': (at) => ask(at, 'locked', account.password),
      'locked account, wrong password': (at) => ask(at, 'locked', 'guess'),
      'account at its connection limit': (at) => ask(at, 'full', account.password),
      'login with compression': (at) => ask(at, account.user, account.password, '--skip-ssl', '-C'),
      'user that does not exist': (at) => ask(at, 'nobody', 'guess'),
      'login over TLS': (at) => ask(at, account.user, account.password, '--ssl'),
      'right password on a server at its connection limit': async (at) => {
        const others = await Promise.all(Array.from({ length: mostConnections + 1 }, () => openIdleConnection(port)));
        await ask(at, account.user, account.password);
        for (const other of others) other.destroy();
      },
      'client disconnects when the server responds': (at) =>
        disconnectAtTurn(at, 2, (own) => ask(own, account.user, account.password)),
    },
  },
};
