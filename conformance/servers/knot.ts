/** Knot, with a zone that clients may copy and one that they may not. */
import type { RealServer, ServerEnvironment } from './server.ts';

const configuration = ({ folder, ports, write }: ServerEnvironment) => `
server:
  rundir: ${folder}
  listen: 127.0.0.1@${ports.dns}
database:
  storage: ${folder}
acl:
  - id: copies
    address: 127.0.0.1
    action: transfer
zone:
  - domain: shop.example
    file: ${write('shop', records)}
    acl: copies
  - domain: closed.example
    file: ${folder}/shop
`;

const records = `
@ 300 SOA ns hostmaster 1 3600 600 86400 300
@ 300 NS ns
ns 300 A 192.0.2.53
www 300 A 192.0.2.80
www 300 TXT "hello"
`;

export const knot: RealServer = {
  name: 'Knot',
  needs: { '/usr/sbin/knotd': 'knot' },
  protocols: ['dns'],
  serve: (environment) => ({
    program: '/usr/sbin/knotd',
    args: ['-c', environment.write('knot.conf', configuration(environment))],
  }),
};
