/** Records DNS over TCP of Knot, with dig. */
import { knot as server } from '../servers/knot.ts';
import { disconnectAtTurn, run } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const dig = (at: number, ...words: string[]) =>
  run('dig', ['@127.0.0.1', '-p', String(at), '+tcp', '+nocookie', '+tries=1', ...words]);

export const knot: RecordedTalks = {
  name: 'knot',
  server,
  needs: { '/usr/bin/dig': 'bind9-dnsutils' },
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
