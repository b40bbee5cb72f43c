import { certificate, type RealServer, right, user } from './server.ts';

/** Number of connections of users: the minimum of the server, which allows one more for an administrator. */
export const mostConnections = 10;

/** Statements at the start, one a line. */
const accounts = `
DELETE FROM mysql.global_priv WHERE user = '';
FLUSH PRIVILEGES;
INSTALL SONAME 'auth_ed25519';
CREATE USER ${user} IDENTIFIED BY '${right}';
CREATE USER ed IDENTIFIED VIA ed25519 USING PASSWORD('${right}');
CREATE USER locked IDENTIFIED BY '${right}' ACCOUNT LOCK;
CREATE USER full IDENTIFIED BY '${right}' WITH MAX_USER_CONNECTIONS -1;
`;

export const mariadb: RealServer = {
  name: 'MariaDB',
  needs: {
    '/usr/sbin/mariadbd': 'mariadb-server',
    '/usr/bin/mariadb-install-db': 'mariadb-server',
    '/usr/bin/mariadb': 'mariadb-client',
    '/usr/bin/openssl': 'openssl',
  },
  protocols: ['mysql'],
  serve: (environment) => {
    const { folder, ports, write, run } = environment;
    const data = `${folder}/data`;
    run('install', '-d', '-o', 'mysql', '-m', '0700', data);
    run('mariadb-install-db', '--no-defaults', '--user=mysql', `--datadir=${data}`, '--skip-test-db');
    const { key, certificate: file } = certificate(environment, 'db.example', 'mysql');
    const places = [`--datadir=${data}`, `--socket=${data}/socket`, `--pid-file=${data}/pid`];
    const settings = [`--init-file=${write('start.sql', accounts)}`, `--max-connections=${mostConnections}`];
    const network = [`--port=${ports.mysql}`, '--bind-address=127.0.0.1', `--ssl-cert=${file}`, `--ssl-key=${key}`];
    const args = ['--no-defaults', '--user=mysql', ...places, ...settings, ...network];
    return { program: '/usr/sbin/mariadbd', args };
  },
  logins: {
    mysql: {
      hidesPassword: true,
      command: (port, password) => ({
        program: '/usr/bin/mariadb',
        args: ['--no-defaults', '-h127.0.0.1', `-P${port}`, `-u${user}`, '--skip-ssl', '-e', 'select 1'],
        env: { MYSQL_PWD: password },
      }),
    },
  },
};
