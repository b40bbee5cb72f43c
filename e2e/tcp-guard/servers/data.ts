import { globSync } from 'node:fs';
import { type Command, type RealServer, right, type ServerEnvironment, user } from './server.ts';

/** Folder of the programs of PostgreSQL. Debian has one for each version. */
const postgresFolder = globSync('/usr/lib/postgresql/*/bin').at(-1) ?? '/usr/lib/postgresql/none/bin';
const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];

/** Creates a database, and returns the command that starts its server. */
function servePostgres({ folder, port, write, run }: ServerEnvironment, ...more: string[]): Command {
  const data = `${folder}/data`;
  const password = write('password', right, 0o644);
  run('install', '-d', '-o', 'postgres', '-m', '0700', data);
  const options = ['-D', data, '-N', '-U', user, '-A', 'scram-sha-256', `--pwfile=${password}`];
  run('setpriv', ...asPostgres, `${postgresFolder}/initdb`, ...options);
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${data}`, 'fsync=off', ...more];
  const server = [`${postgresFolder}/postgres`, '-D', data, '-p', `${port}`, ...settings.flatMap((one) => ['-c', one])];
  return { program: 'setpriv', args: [...asPostgres, ...server] };
}

const psql = (port: number, password: string, mode: string): Command => ({
  program: '/usr/bin/psql',
  args: ['-w', `host=127.0.0.1 port=${port} user=${user} dbname=postgres sslmode=${mode}`, '-c', 'select 1'],
  env: { PGPASSWORD: password },
});

export const postgres: RealServer = {
  name: 'PostgreSQL with psql',
  protocol: 'postgres',
  hidesPassword: true,
  programs: [`${postgresFolder}/initdb`, '/usr/bin/psql', '/usr/bin/setpriv'],
  serve: (environment) => servePostgres(environment),
  login: (port, password) => psql(port, password, 'disable'),
};

/** PostgreSQL that requires TLS, with a client that tries without TLS first. */
export const postgresWithTls: RealServer = {
  ...postgres,
  name: 'PostgreSQL that requires TLS with psql',
  programs: [...postgres.programs, '/usr/bin/openssl'],
  serve: (environment) => {
    const { folder, run, write } = environment;
    const [key, certificate] = [`${folder}/key.pem`, `${folder}/certificate.pem`];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    run('openssl', 'req', '-x509', ...curve, '-subj', '/CN=localhost', '-keyout', key, '-out', certificate);
    run('chown', 'postgres', key);
    const rules = write('rules', 'hostssl all all all scram-sha-256\n', 0o644);
    const files = [`hba_file=${rules}`, `ssl_key_file=${key}`, `ssl_cert_file=${certificate}`];
    return servePostgres(environment, 'ssl=on', ...files);
  },
  login: (port, password) => psql(port, password, 'allow'),
};

/** PgBouncer, which requests passwords in clear text, before a PostgreSQL that trusts it. */
export const pgbouncer: RealServer = {
  name: 'PgBouncer with psql',
  protocol: 'postgres',
  programs: [...postgres.programs, '/usr/sbin/pgbouncer'],
  serve: (environment) => {
    const { folder, port, run, write, startAlongside } = environment;
    const trusted = write('trusted', 'local all all trust\n', 0o644);
    startAlongside(servePostgres(environment, `hba_file=${trusted}`, 'listen_addresses='));
    run('chmod', '0711', `${folder}`);
    const rules = write('rules', 'host all all 0.0.0.0/0 password\n', 0o644);
    const users = write('users', `"${user}" "${right}"\n`, 0o644);
    const lines = [
      ...['[databases]', `* = host=${folder}/data port=${port}`, '[pgbouncer]', 'listen_addr = 127.0.0.1'],
      ...[
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = hba',
        `auth_hba_file = ${rules}`,
        `auth_file = ${users}`,
      ],
    ];
    const file = write('pgbouncer.ini', `${lines.join('\n')}\n`, 0o644);
    return { program: 'setpriv', args: [...asPostgres, '/usr/sbin/pgbouncer', '-q', file] };
  },
  login: (port, password) => psql(port, password, 'disable'),
};

export const mysql: RealServer = {
  name: 'MariaDB with its client',
  protocol: 'mysql',
  hidesPassword: true,
  programs: ['/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db', '/usr/bin/mariadb'],
  serve: ({ folder, port, write, run }) => {
    const data = `${folder}/data`;
    const start = write('start.sql', `CREATE USER '${user}'@'127.0.0.1' IDENTIFIED BY '${right}';\n`, 0o644);
    run('install', '-d', '-o', 'mysql', '-m', '0700', data);
    run('mariadb-install-db', '--no-defaults', '--user=mysql', `--datadir=${data}`, '--skip-test-db');
    const places = [`--datadir=${data}`, `--socket=${data}/socket`, `--pid-file=${data}/pid`, `--init-file=${start}`];
    const args = ['--no-defaults', '--user=mysql', ...places, `--port=${port}`, '--bind-address=127.0.0.1'];
    return { program: '/usr/sbin/mariadbd', args };
  },
  login: (port, password) => ({
    program: '/usr/bin/mariadb',
    args: ['--no-defaults', '-h127.0.0.1', `-P${port}`, `-u${user}`, '-e', 'select 1'],
    env: { MYSQL_PWD: password },
  }),
};

export const redis: RealServer = {
  name: 'Redis with redis-cli',
  protocol: 'redis',
  programs: ['/usr/bin/redis-server', '/usr/bin/redis-cli'],
  serve: ({ folder, port }) => ({
    program: '/usr/bin/redis-server',
    args: ['--port', `${port}`, '--bind', '127.0.0.1', '--requirepass', right, '--save', '', '--dir', folder],
  }),
  login: (port, password) => ({
    program: '/usr/bin/redis-cli',
    args: ['-h', '127.0.0.1', '-p', `${port}`, 'ping'],
    env: { REDISCLI_AUTH: password },
  }),
  isLoggedIn: (output) => output.includes('PONG'),
};

export const mqtt: RealServer = {
  name: 'Mosquitto with mosquitto_pub',
  protocol: 'mqtt',
  programs: ['/usr/sbin/mosquitto', '/usr/bin/mosquitto_passwd', '/usr/bin/mosquitto_pub'],
  serve: ({ folder, port, write, run }) => {
    const passwords = `${folder}/passwords`;
    run('mosquitto_passwd', '-b', '-c', passwords, user, right);
    run('chmod', '0644', passwords);
    const lines = [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous false',
      `password_file ${passwords}`,
      'persistence false',
    ];
    return { program: '/usr/sbin/mosquitto', args: ['-c', write('mosquitto.conf', `${lines.join('\n')}\n`, 0o644)] };
  },
  login: (port, password) => ({
    program: '/usr/bin/mosquitto_pub',
    args: ['-h', '127.0.0.1', '-p', `${port}`, '-u', user, '-P', password, '-t', 'probe', '-m', 'probe'],
  }),
};

const admin = 'cn=admin,dc=example,dc=org';

export const ldap: RealServer = {
  name: 'OpenLDAP with ldapwhoami',
  protocol: 'ldap',
  programs: ['/usr/sbin/slapd', '/usr/bin/ldapwhoami'],
  serve: ({ folder, port, write, run }) => {
    run('install', '-d', `${folder}/entries`);
    const lines = ['include /etc/ldap/schema/core.schema', `pidfile ${folder}/pid`, 'database ldif'];
    const own = ['suffix "dc=example,dc=org"', `rootdn "${admin}"`, `rootpw ${right}`, `directory ${folder}/entries`];
    const file = write('slapd.conf', `${[...lines, ...own].join('\n')}\n`);
    return { program: '/usr/sbin/slapd', args: ['-d', '0', '-h', `ldap://127.0.0.1:${port}/`, '-f', file] };
  },
  login: (port, password) => ({
    program: '/usr/bin/ldapwhoami',
    args: ['-x', '-H', `ldap://127.0.0.1:${port}`, '-D', admin, '-w', password],
  }),
};
