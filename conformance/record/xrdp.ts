/** Records RDP of xrdp, with xfreerdp, which needs a display. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, disconnectAtTurn, run, startServer } from './commands.ts';
import { display, startScreen } from './screen.ts';
import { account, type RecordedServer } from './server.ts';

const port = 23_389;
let filesFolder = '';

const configuration = (folder: string) => `
[Globals]
port=tcp://127.0.0.1:${port}
security_layer=negotiate
certificate=${folder}/cert.pem
key_file=${folder}/key.pem
ssl_protocols=TLSv1.2, TLSv1.3
fork=true
[Logging]
LogFile=${folder}/log
LogLevel=WARNING
`;

const freerdp = (at: number, kind: string, password = account.password as string) =>
  run('env', [
    ...[`DISPLAY=${display}`, `HOME=${filesFolder}`, 'timeout', '10', 'xfreerdp', `/v:127.0.0.1:${at}`],
    ...[
      `/u:${account.user}`,
      `/p:${password}`,
      '/cert:ignore',
      '/client-hostname:laptop',
      `/sec:${kind}`,
      '+auth-only',
    ],
  ]);

export const xrdp: RecordedServer = {
  name: 'xrdp',
  needs: {
    '/usr/sbin/xrdp': 'xrdp',
    '/usr/bin/xfreerdp': 'freerdp2-x11',
    '/usr/bin/Xvnc': 'tigervnc-standalone-server',
    '/usr/bin/openssl': 'openssl',
  },
  start: async (folder) => {
    filesFolder = folder;
    await certificate(folder, 'rdp.example');
    await writeFile(join(folder, 'xrdp.ini'), configuration(folder));
    const screen = await startScreen();
    const server = await startServer({ rdp: port }, '/usr/sbin/xrdp', ['-n', '-c', join(folder, 'xrdp.ini')]);
    const stop = () => server.stop().then(screen.stop);
    return { ...server, stop };
  },
  talks: {
    rdp: {
      'xfreerdp by TLS': (at) => freerdp(at, 'tls'),
      'xfreerdp by TLS, wrong password': (at) => freerdp(at, 'tls', 'guess'),
      'xfreerdp by Standard RDP Security': (at) => freerdp(at, 'rdp'),
      'xfreerdp by CredSSP, which the server does not support': (at) => freerdp(at, 'nla'),
      'client disconnects in the middle': (at) => disconnectAtTurn(at, 1, (own) => freerdp(own, 'tls')),
    },
  },
};
