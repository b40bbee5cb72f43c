/** Records RDP of xrdp, with xfreerdp, which needs a display. */
import { right, user, wrong } from '../servers/server.ts';
import { display, screen } from '../servers/vnc.ts';
import { xrdp as server } from '../servers/xrdp.ts';
import { disconnectAtTurn, run } from './commands.ts';
import type { RecordedTalks, Talk } from './talks.ts';

const connect =
  (kind: string, password = right): Talk =>
  (at, { folder }) =>
    run('env', [
      ...[`DISPLAY=${display}`, `HOME=${folder}`, 'timeout', '10', 'xfreerdp', `/v:127.0.0.1:${at}`, `/u:${user}`],
      ...[`/p:${password}`, '/cert:ignore', '/client-hostname:laptop', `/sec:${kind}`, '+auth-only'],
    ]);

export const xrdp: RecordedTalks = {
  name: 'xrdp',
  server,
  needs: { '/usr/bin/xfreerdp': 'freerdp2-x11' },
  alongside: screen,
  talks: {
    rdp: {
      'xfreerdp by TLS': connect('tls'),
      'xfreerdp by TLS, wrong password': connect('tls', wrong),
      'xfreerdp by Standard RDP Security': connect('rdp'),
      'xfreerdp by CredSSP, which the server does not support': connect('nla'),
      'client disconnects in the middle': (at, environment) =>
        disconnectAtTurn(at, 1, (own) => connect('tls')(own, environment)),
    },
  },
};
