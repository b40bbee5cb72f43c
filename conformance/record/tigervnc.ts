/** Records VNC of TigerVNC: version 3.8 with its own viewer, which needs a display, and 3.3 with vncsnapshot. */
import { join } from 'node:path';
import { disconnectAtTurn, run, startServer } from './commands.ts';
import { display, startScreen } from './screen.ts';
import { account, type RecordedServer } from './server.ts';

const port = 25_900;
const displayName = ':72';
const mostFailures = 5; // BlacklistThreshold of the server
let filesFolder = '';

const rightPasswordFile = () => join(filesFolder, 'right');
const wrongPasswordFile = () => join(filesFolder, 'wrong');

const commonOptions = ['-geometry', '64x64', '-desktop', 'screen', '-SecurityTypes', 'VncAuth,TLSVnc'];

const snapshot = (at: number, passwords: string) =>
  run('vncsnapshot', [
    '-encodings',
    'raw',
    '-allowblank',
    '-passwd',
    passwords,
    `127.0.0.1::${at}`,
    join(filesFolder, 'x.jpg'),
  ]);

const runViewer = (at: number, kind: string, passwords: string) =>
  run('env', [
    ...[`DISPLAY=${display}`, `HOME=${filesFolder}`, 'timeout', '2', 'xtigervncviewer', '-AlertOnFatalError=0'],
    ...['-ReconnectOnError=0', '-SecurityTypes', kind, '-passwd', passwords, `127.0.0.1::${at}`],
  ]);

export const tigervnc: RecordedServer = {
  name: 'tigervnc',
  needs: {
    '/usr/bin/Xvnc': 'tigervnc-standalone-server',
    '/usr/bin/xtigervncviewer': 'tigervnc-viewer',
    '/usr/bin/tigervncpasswd': 'tigervnc-tools',
    '/usr/bin/vncsnapshot': 'vncsnapshot',
  },
  start: async (folder) => {
    filesFolder = folder;
    const passwords = { [rightPasswordFile()]: account.password, [wrongPasswordFile()]: 'guess' };
    for (const [file, password] of Object.entries(passwords))
      await run('sh', ['-c', 'echo "$1" | tigervncpasswd -f > "$2"', 'sh', password, file]);
    const screen = await startScreen();
    const args = [
      displayName,
      '-rfbport',
      String(port),
      '-interface',
      '127.0.0.1',
      '-rfbauth',
      rightPasswordFile(),
      ...commonOptions,
    ];
    const server = await startServer({ vnc: port }, 'Xvnc', args);
    const stop = () => server.stop().then(screen.stop);
    return { ...server, stop };
  },
  talks: {
    vnc: {
      'vncsnapshot takes a picture': (at) => snapshot(at, rightPasswordFile()),
      'vncsnapshot logs in with a wrong password': (at) => snapshot(at, wrongPasswordFile()),
      'viewer logs in': (at) => runViewer(at, 'VncAuth', rightPasswordFile()),
      'viewer logs in with a wrong password': (at) => runViewer(at, 'VncAuth', wrongPasswordFile()),
      'viewer switches to TLS': (at) => runViewer(at, 'TLSVnc', rightPasswordFile()),
      'client disconnects at the challenge': (at) =>
        disconnectAtTurn(at, 3, (own) => runViewer(own, 'VncAuth', rightPasswordFile())),
      'right password after too many wrong ones': async (at) => {
        for (let left = mostFailures; left >= 0; left -= 1) await snapshot(port, wrongPasswordFile());
        await snapshot(at, rightPasswordFile());
      },
    },
  },
};
