/** Records LDAP of OpenLDAP, with its own clients. */
import { right, wrong } from '../servers/server.ts';
import { distinguishedName, slapd as server } from '../servers/slapd.ts';
import { disconnectAtTurn, run } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const ask = (at: number, ...more: string[]) =>
  run('env', ['LDAPTLS_REQCERT=never', 'ldapwhoami', '-H', `ldap://127.0.0.1:${at}`, ...more]);
const simpleBind = (at: number, password: string, ...more: string[]) =>
  ask(at, '-x', '-D', distinguishedName, '-w', password, ...more);

export const slapd: RecordedTalks = {
  name: 'slapd',
  server,
  talks: {
    ldap: {
      'simple bind': (at) => simpleBind(at, right),
      'simple bind with a wrong password': (at) => simpleBind(at, wrong),
      'simple bind without a password': (at) => simpleBind(at, ''),
      'anonymous bind': (at) => ask(at, '-x'),
      'bind after StartTLS': (at) => simpleBind(at, right, '-ZZ'),
      'SCRAM with a wrong password': (at) => ask(at, '-Y', 'SCRAM-SHA-1', '-U', 'bob', '-w', wrong),
      'StartTLS, then a wrong password': (at) => simpleBind(at, wrong, '-ZZ'),
      'client disconnects when the server responds': (at) => disconnectAtTurn(at, 1, (own) => simpleBind(own, wrong)),
    },
  },
};
