/** Records FTP of vsftpd, with curl and line by line. Needs the system account `alice` with its password. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, run, sendLines, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 21_021;

const configuration = (folder: string) => `
listen=YES
listen_address=127.0.0.1
listen_port=${port}
background=NO
local_enable=YES
anonymous_enable=NO
ssl_enable=YES
force_local_logins_ssl=NO
force_local_data_ssl=NO
rsa_cert_file=${folder}/cert.pem
rsa_private_key_file=${folder}/key.pem
xferlog_enable=NO
`;

const curl = (at: number, password: string, ...more: string[]) =>
  run('curl', ['-s', '-m', '20', '-u', `${account.user}:${password}`, ...more, `ftp://127.0.0.1:${at}/`]);

export const vsftpd: RecordedServer = {
  name: 'vsftpd',
  needs: { '/usr/sbin/vsftpd': 'vsftpd', '/usr/bin/curl': 'curl', '/usr/bin/openssl': 'openssl' },
  start: async (folder) => {
    await certificate(folder, 'ftp.example');
    await writeFile(join(folder, 'vsftpd.conf'), configuration(folder));
    return startServer({ ftp: port }, '/usr/sbin/vsftpd', [join(folder, 'vsftpd.conf')]);
  },
  talks: {
    ftp: {
      'curl logs in and lists a folder': (at) => curl(at, account.password),
      'curl lists a folder in active mode': (at) => curl(at, account.password, '-P', '127.0.0.1'),
      'curl logs in with a wrong password': (at) => curl(at, 'guess'),
      'curl switches to TLS': (at) => curl(at, account.password, '-k', '--ssl-reqd'),
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
