/** Records FTP of vsftpd, with curl and line by line. Needs the system account `alice` with its password. */
import { right, user, wrong } from '../servers/server.ts';
import { vsftpd as server } from '../servers/vsftpd.ts';
import { run, sendLines } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const curl = (at: number, password: string, ...more: string[]) =>
  run('curl', ['-s', '-m', '20', '-u', `${user}:${password}`, ...more, `ftp://127.0.0.1:${at}/`]);

export const vsftpd: RecordedTalks = {
  name: 'vsftpd',
  server,
  talks: {
    ftp: {
      'curl logs in and lists a folder': (at) => curl(at, right),
      'curl lists a folder in active mode': (at) => curl(at, right, '-P', '127.0.0.1'),
      'curl logs in with a wrong password': (at) => curl(at, wrong),
      'curl switches to TLS': (at) => curl(at, right, '-k', '--ssl-reqd'),
      'two wrong passwords and a transfer without a login': (at) =>
        sendLines(at, [
          [/^220 /m, 'USER alice'],
          [/^331 /m, 'PASS guess'],
          [/^530 /m, 'USER bob'],
          [/^331 /m, 'PASS guess'],
          [/^530 /m, 'RETR x'],
          [/^530 /m, 'QUIT'],
        ]),
      'client disconnects in the middle': (at) =>
        sendLines(at, [
          [/^220 /m, 'USER alice'],
          [/^331 /m, ''],
        ]),
    },
  },
};
