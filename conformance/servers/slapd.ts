import { certificate, type RealServer, right, user } from './server.ts';

const suffix = 'dc=example';
export const distinguishedName = `cn=${user},${suffix}`;

export const slapd: RealServer = {
  name: 'OpenLDAP',
  needs: { '/usr/sbin/slapd': 'slapd', '/usr/bin/ldapwhoami': 'ldap-utils', '/usr/bin/openssl': 'openssl' },
  protocols: ['ldap'],
  serve: (environment) => {
    const { folder, ports, write, run } = environment;
    const { key, certificate: file } = certificate(environment, 'ldap.example');
    run('install', '-d', `${folder}/entries`);
    const settings = `include /etc/ldap/schema/core.schema
pidfile ${folder}/pid
TLSCertificateFile ${file}
TLSCertificateKeyFile ${key}
database ldif
suffix "${suffix}"
rootdn "${distinguishedName}"
rootpw ${right}
directory ${folder}/entries
`;
    const args = ['-d', 'stats', '-h', `ldap://127.0.0.1:${ports.ldap}/`, '-f', write('slapd.conf', settings)];
    return { program: '/usr/sbin/slapd', args };
  },
  logins: {
    ldap: {
      command: (port, password) => ({
        program: '/usr/bin/ldapwhoami',
        args: ['-x', '-H', `ldap://127.0.0.1:${port}`, '-D', distinguishedName, '-w', password],
      }),
    },
  },
};
