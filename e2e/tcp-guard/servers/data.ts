import { globSync } from 'node:fs';
import { type RealServer, right, user } from './server.ts';

/** Folder of the programs of PostgreSQL. Debian has one for each version. */
const postgresFolder = globSync('/usr/lib/postgresql/*/bin').at(-1) ?? '/usr/lib/postgresql/none/bin';
const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];

export const postgres: RealServer = {
  name: 'PostgreSQL with psql',
  protocol: 'postgres',
  programs: [`${postgresFolder}/initdb`, '/usr/bin/psql', '/usr/bin/setpriv'],
  serve: ({ folder, port, write, run }) => {
    const data = `${folder}/data`;
    const password = write('password', right, 0o644);
    run('install', '-d', '-o', 'postgres', '-m', '0700', data);
    const options = ['-D', data, '-N', '-U', user, '-A', 'scram-sha-256', `--pwfile=${password}`];
    run('setpriv', ...asPostgres, `${postgresFolder}/initdb`, ...options);
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${data}`, 'fsync=off'];
    const server = [
      `${postgresFolder}/postgres`,
      '-D',
      data,
      '-p',
      `${port}`,
      ...settings.flatMap((one) => ['-c', one]),
    ];
    return { program: 'setpriv', args: [...asPostgres, ...server] };
  },
  login: (port, password) => ({
    program: '/usr/bin/psql',
    args: ['-w', `host=127.0.0.1 port=${port} user=${user} dbname=postgres sslmode=disable`, '-c', 'select 1'],
    env: { PGPASSWORD: password },
  }),
};

export const mysql: RealServer = {
  name: 'MariaDB with its client',
  protocol: 'mysql',
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
