/** Records DNS over TCP of Knot, with dig. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { disconnectAtTurn, run, startServer } from './commands.ts';
import type { RecordedServer } from './server.ts';

const port = 20_053;

const configuration = (folder: string) => `
server:
  rundir: ${folder}
  listen: 127.0.0.1@${port}
database:
  storage: ${folder}
acl:
  - id: copies
    address: 127.0.0.1
    action: transfer
zone:
  - domain: shop.example
    file: ${folder}/shop
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

const dig = (at: number, ...words: string[]) =>
  run('dig', ['@127.0.0.1', '-p', String(at), '+tcp', '+nocookie', '+tries=1', ...words]);

export const knot: RecordedServer = {
  name: 'knot',
  needs: { '/usr/sbin/knotd': 'knot', '/usr/bin/dig': 'bind9-dnsutils' },
  start: async (folder) => {
    await writeFile(join(folder, 'shop'), records);
    await writeFile(join(folder, 'knot.conf'), configuration(folder));
    return startServer({ dns: port }, '/usr/sbin/knotd', ['-c', join(folder, 'knot.conf')]);
  },
  talks: {
    dns: {
      'query for the address of a name': (at) => dig(at, 'www.shop.example', 'A'),
      'query for a name that does not exist': (at) => dig(at, 'absent.shop.example', 'AAAA'),
      'two queries on one connection': (at) =>
        dig(at, '+keepopen', 'www.shop.example', 'ANY', 'shop.example', 'SOA', '+keepopen'),
      'zone transfer': (at) => dig(at, 'shop.example', 'AXFR'),
      'zone transfer that the server refuses': (at) => dig(at, 'closed.example', 'AXFR'),
      'client disconnects before the response': (at) =>
        disconnectAtTurn(at, 1, (own) => dig(own, 'www.shop.example', 'TXT')),
    },
  },
};
