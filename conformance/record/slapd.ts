/** Records LDAP of OpenLDAP, with its own clients. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, disconnectAtTurn, run, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 23_389;
const name = `cn=${account.user},dc=example`;

const configuration = (folder: string) => `
include /etc/ldap/schema/core.schema
pidfile ${folder}/pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database ldif
suffix "dc=example"
rootdn "${name}"
rootpw ${account.password}
directory ${folder}
`;

const ask = (at: number, ...more: string[]) =>
  run('env', ['LDAPTLS_REQCERT=never', 'ldapwhoami', '-H', `ldap://127.0.0.1:${at}`, ...more]);
const simpleBind = (at: number, password: string, ...more: string[]) =>
  ask(at, '-x', '-D', name, '-w', password, ...more);

export const slapd: RecordedServer = {
  name: 'slapd',
  needs: { '/usr/sbin/slapd': 'slapd', '/usr/bin/ldapwhoami': 'ldap-utils', '/usr/bin/openssl': 'openssl' },
  start: async (folder) => {
    const file = join(folder, 'slapd.conf');
    await certificate(folder, 'ldap.example');
    await writeFile(file, configuration(folder));
    return startServer({ ldap: port }, '/usr/sbin/slapd', ['-d', '0', '-f', file, '-h', `ldap://127.0.0.1:${port}`]);
  },
  talks: {
    ldap: {
      'simple bind': (at) => simpleBind(at, account.password),
      'simple bind with a wrong password': (at) => simpleBind(at, 'guess'),
      'simple bind without a password': (at) => simpleBind(at, ''),
      'anonymous bind': (at) => ask(at, '-x'),
      'bind after StartTLS': (at) => simpleBind(at, account.password, '-ZZ'),
      'SCRAM with a wrong password': (at) => ask(at, '-Y', 'SCRAM-SHA-1', '-U', 'bob', '-w', 'guess'),
      'StartTLS, then a wrong password': (at) => simpleBind(at, 'guess', '-ZZ'),
      'client disconnects when the server responds': (at) => disconnectAtTurn(at, 1, (own) => simpleBind(own, 'guess')),
    },
  },
};
