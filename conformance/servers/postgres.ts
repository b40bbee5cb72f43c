/** PostgreSQL, and PgBouncer in front of it. Both refuse to run as root. */
import { globSync } from 'node:fs';
import { type Command, certificate, type Login, type RealServer, right, type ServerEnvironment } from './server.ts';

/** Folder of the programs of PostgreSQL. Debian has one for each version. */
const programs = globSync('/usr/lib/postgresql/*/bin').at(-1) ?? '/usr/lib/postgresql/none/bin';
const asOwner = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];

const accessRules = `
local all all trust
host all trusted all trust
host all absent all trust
host all clear all password
host all system all pam
hostssl all encrypted all scram-sha-256
host all rejected all reject
host all alice,full,old,cannot all scram-sha-256
`;

/** Statements that create the roles, one a line. */
const roles = `
CREATE ROLE alice LOGIN PASSWORD '${right}'
CREATE ROLE clear LOGIN PASSWORD '${right}'
CREATE ROLE encrypted LOGIN PASSWORD '${right}'
CREATE ROLE trusted LOGIN
CREATE ROLE full LOGIN CONNECTION LIMIT 0 PASSWORD '${right}'
CREATE ROLE cannot PASSWORD '${right}'
CREATE ROLE old LOGIN VALID UNTIL '2001-01-01' PASSWORD '${right}'
`;

/** Creates a database. Returns the command that starts its server. @param address where it listens, or '' */
function postgresCommand(environment: ServerEnvironment, address: string): Command {
  const { folder, ports, write, run } = environment;
  const [data, server] = [`${folder}/data`, `${programs}/postgres`];
  run('install', '-d', '-o', 'postgres', '-m', '0700', data);
  run('setpriv', ...asOwner, `${programs}/initdb`, '-D', data, '-N', '-U', 'postgres', '-A', 'trust');
  const statements = write('roles.sql', roles);
  run('setpriv', ...asOwner, 'sh', '-c', '"$1" --single -D "$2" postgres <"$3"', 'sh', server, data, statements);
  const { key, certificate: file } = certificate(environment, 'db.example', 'postgres');
  const settings = [
    ...[`listen_addresses=${address}`, `unix_socket_directories=${data}`, 'fsync=off'],
    ...[`hba_file=${write('rules', accessRules)}`, 'ssl=on', `ssl_cert_file=${file}`, `ssl_key_file=${key}`],
  ].flatMap((setting) => ['-c', setting]);
  return { program: 'setpriv', args: [...asOwner, server, '-D', data, '-p', `${ports.postgres}`, ...settings] };
}

/** Returns a command that logs in with psql. @param mode whether it uses TLS: `sslmode` of libpq */
export const psql = (
  port: number,
  role: string,
  password: string,
  mode = 'disable',
  database = 'postgres',
): Command => ({
  program: '/usr/bin/psql',
  args: ['-w', `host=127.0.0.1 port=${port} user=${role} dbname=${database} sslmode=${mode}`, '-c', 'select 1'],
  env: { PGPASSWORD: password },
});

const loginOf = (role: string): Login => ({ command: (port, password) => psql(port, role, password) });

export const postgres: RealServer = {
  name: 'PostgreSQL',
  needs: {
    [`${programs}/initdb`]: 'postgresql',
    '/usr/bin/psql': 'postgresql-client',
    '/usr/bin/openssl': 'openssl',
  },
  protocols: ['postgres'],
  serve: (environment) => postgresCommand(environment, '127.0.0.1'),
  logins: { postgres: { ...loginOf('alice'), hidesPassword: true } },
};

/** The name of a database whose server PgBouncer cannot reach. */
export const unreachable = 'unreachable';

const bouncerRules = `
host all clear 0.0.0.0/0 password
host all rejected 0.0.0.0/0 reject
host all digest 0.0.0.0/0 md5
host all all 0.0.0.0/0 scram-sha-256
`;

const bouncerSettings = ({ folder, ports, write }: ServerEnvironment) => `
[databases]
${unreachable} = host=127.0.0.1 port=1
* = host=${folder}/data port=${ports.postgres}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.postgres}
unix_socket_dir =
auth_type = hba
auth_hba_file = ${write('bouncer-rules', bouncerRules)}
auth_file = ${write('users', ['clear', 'rejected', 'digest', 'alice'].map((name) => `"${name}" "${right}"\n`).join(''))}
client_login_timeout = 5
`;

export const pgbouncer: RealServer = {
  name: 'PgBouncer',
  needs: { ...postgres.needs, '/usr/sbin/pgbouncer': 'pgbouncer' },
  protocols: ['postgres'],
  serve: (environment) => {
    environment.startAlongside(postgresCommand(environment, ''));
    const file = environment.write('pgbouncer.ini', bouncerSettings(environment));
    return { program: 'setpriv', args: [...asOwner, '/usr/sbin/pgbouncer', file] };
  },
  logins: { postgres: loginOf('clear') },
};
