/** Records VNC of TigerVNC: version 3.8 with its own viewer, which needs a display, and 3.3 with vncsnapshot. */
import { right, type ServerEnvironment, wrong } from '../servers/server.ts';
import { display, screen, tigervnc as server, snapshotArguments } from '../servers/vnc.ts';
import { disconnectAtTurn, run } from './commands.ts';
import type { RecordedTalks, Talk } from './talks.ts';

const mostFailures = 5; // BlacklistThreshold of the server

const snapshot = (at: number, password: string, environment: ServerEnvironment) =>
  run('vncsnapshot', snapshotArguments(at, password, environment));

const takeSnapshot =
  (password: string): Talk =>
  (at, environment) =>
    snapshot(at, password, environment);

const view =
  (kind: string, password: string): Talk =>
  (at, { folder }) =>
    run('env', [
      ...[`DISPLAY=${display}`, `HOME=${folder}`, 'timeout', '2', 'xtigervncviewer', '-AlertOnFatalError=0'],
      ...['-ReconnectOnError=0', '-SecurityTypes', kind, '-passwd', `${folder}/${password}`, `127.0.0.1::${at}`],
    ]);

export const tigervnc: RecordedTalks = {
  name: 'tigervnc',
  server,
  needs: { '/usr/bin/xtigervncviewer': 'tigervnc-viewer', '/usr/bin/vncsnapshot': 'vncsnapshot' },
  alongside: screen,
  talks: {
    vnc: {
      'vncsnapshot takes a picture': takeSnapshot(right),
      'vncsnapshot logs in with a wrong password': takeSnapshot(wrong),
      'viewer logs in': view('VncAuth', right),
      'viewer logs in with a wrong password': view('VncAuth', wrong),
      'viewer switches to TLS': view('TLSVnc', right),
      'client disconnects at the challenge': (at, environment) =>
        disconnectAtTurn(at, 3, (own) => view('VncAuth', right)(own, environment)),
      'right password after too many wrong ones': async (at, environment) => {
        for (let left = mostFailures; left >= 0; left -= 1) await snapshot(environment.ports.vnc, wrong, environment);
        await snapshot(at, right, environment);
      },
    },
  },
};
