/** Records SMTP of Postfix with password checks of Dovecot. Runs beside any other Postfix on the machine. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isListening } from '../../platform/testing/child.ts';
import { until } from '../../platform/until.ts';
import { certificate, run, sendLines } from './commands.ts';
import { ntlmNegotiation, startDovecot, userWithFailingLookup } from './dovecot.ts';
import { account, type RecordedServer } from './server.ts';

const port = 21_025;

const main = (folder: string) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
myhostname = mx.example
mydestination = mx.example
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
local_recipient_maps =
default_transport = discard
local_transport = discard
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_tls_security_level = may
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${folder}/auth
smtpd_error_sleep_time = 0
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
`;

const master = `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
discard unix - - n - - discard
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
`;

const dovecot = (folder: string) => `
protocols =
ssl = no
service auth {
  unix_listener ${folder}/auth {
    mode = 0666
  }
}
`;

const curl = (at: number, password: string, folder: string, ...more: string[]) =>
  run('curl', [
    ...['-s', '-m', '20', '--mail-from', 'a@shop.example', '--mail-rcpt', 'b@mx.example', '-T', join(folder, 'mail')],
    ...['-u', `${account.user}:${password}`, ...more, `smtp://127.0.0.1:${at}/laptop.example`],
  ]);

let filesFolder = '';

export const postfix: RecordedServer = {
  name: 'postfix',
  needs: {
    '/usr/sbin/postfix': 'postfix',
    '/usr/sbin/dovecot': 'dovecot-core',
    '/usr/bin/curl': 'curl',
    '/usr/bin/openssl': 'openssl',
  },
  start: async (folder) => {
    filesFolder = folder;
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'queue'));
    await mkdir(join(folder, 'data'));
    await run('chown', ['postfix', join(folder, 'data')]);
    await certificate(folder, 'mx.example');
    await writeFile(join(folder, 'main.cf'), main(folder));
    await writeFile(join(folder, 'master.cf'), master);
    await writeFile(join(folder, 'mail'), 'Subject: x\r\n\r\n.AUTH PLAIN\r\n.\r\ntext\r\n');
    const auth = await startDovecot(folder, '/nonexistent', dovecot(folder), {});
    await run('/usr/sbin/postfix', ['-c', folder, 'start']);
    await until(() => isListening(port), 'Postfix to listen');
    const stop = async () => {
      await run('/usr/sbin/postfix', ['-c', folder, 'stop']);
      await auth.stop();
    };
    return { ports: { smtp: port }, stop };
  },
  talks: {
    smtp: {
      'curl logs in and sends a mail': (at) => curl(at, account.password, filesFolder),
      'curl logs in with a wrong password': (at) => curl(at, 'guess', filesFolder),
      'curl logs in by LOGIN with a wrong password': (at) =>
        curl(at, 'guess', filesFolder, '--login-options', 'AUTH=LOGIN'),
      'server that cannot verify a password at the moment and replies as to a wrong one': (at) =>
        sendLines(at, [
          [/^220 /m, 'EHLO laptop.example'],
          [/^250 /m, `AUTH PLAIN ${Buffer.from(`\0${userWithFailingLookup}\0${account.password}`).toString('base64')}`],
          [/^535 /m, 'QUIT'],
        ]),
      'curl switches to TLS': (at) => curl(at, account.password, filesFolder, '-k', '--ssl-reqd'),
      'pipelined mail in chunks, then a wrong password': (at) =>
        sendLines(at, [
          [/^220 /m, 'EHLO laptop.example'],
          [
            /^250 /m,
            'MAIL FROM:<a@shop.example>\r\nRCPT TO:<b@mx.example>\r\nBDAT 6\r\nQUIT\r\nBDAT 7 LAST\r\nhello\r\nNOOP',
          ],
          [/Ok.*Ok.*Ok.*Ok.*Ok/is, 'AUTH PLAIN AGFsaWNlAGd1ZXNz'],
          [/^535 /m, 'QUIT'],
        ]),
      'mechanisms that the server does not support': (at) =>
        sendLines(at, [
          [/^220 /m, 'EHLO laptop.example'],
          [/^250 /m, 'AUTH GSSAPI'],
          [/^\d/m, `AUTH NTLM ${ntlmNegotiation}`],
          [/^\d/m, 'AUTH SCRAM-SHA-256 biwsbj1hbGljZSxyPXg='],
          [/^\d/m, 'QUIT'],
        ]),
      'client disconnects during a login': (at) =>
        sendLines(at, [
          [/^220 /m, 'EHLO x'],
          [/^250 /m, 'AUTH LOGIN'],
          [/^334 /m, ''],
        ]),
    },
  },
};
