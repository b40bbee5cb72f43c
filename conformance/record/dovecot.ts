/** Records IMAP and POP3 of Dovecot, with curl and line by line. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, disconnectAtTurn, run, sendLines, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const ports = { imap: 21_143, pop3: 21_110, tls: 21_993 } as const;

export const userWithFailingLookup = 'carol';
const temporaryFailure = '#!/bin/sh\nexit 111\n';

const commonSettings = (folder: string, home: string) => `
base_dir = ${folder}/run
log_path = ${folder}/log
auth_mechanisms = plain login
auth_failure_delay = 0
passdb {
  driver = checkpassword
  args = ${folder}/broken
  username_filter = ${userWithFailingLookup}
  result_internalfail = return
}
passdb {
  driver = static
  args = user=${account.user} password=${account.password}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${home}
}
`;

/** Starts Dovecot. @param home the folder of a user */
export async function startDovecot<Ports extends Readonly<Record<string, number>>>(
  folder: string,
  home: string,
  settings: string,
  ports: Ports,
) {
  const file = join(folder, 'dovecot.conf');
  await writeFile(file, commonSettings(folder, home) + settings);
  await writeFile(join(folder, 'broken'), temporaryFailure, { mode: 0o755 });
  return startServer(ports, '/usr/sbin/dovecot', ['-F', '-c', file]);
}

const mailOf = (folder: string): string => `${folder}/mail/%u`;

const configuration = (folder: string) => `
protocols = imap pop3
disable_plaintext_auth = no
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
mail_location = maildir:${mailOf(folder)}
first_valid_uid = 1
service imap-login {
  inet_listener imap {
    address = 127.0.0.1
    port = ${ports.imap}
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${ports.tls}
  }
}
service pop3-login {
  inet_listener pop3 {
    address = 127.0.0.1
    port = ${ports.pop3}
  }
  inet_listener pop3s {
    port = 0
  }
}
`;

const curl = (scheme: string, port: number, user: string, path = '', ...more: string[]) =>
  run('curl', ['-s', '-m', '20', '-u', user, ...more, `${scheme}://127.0.0.1:${port}/${path}`]);

/** The first message of NTLM (MS-NLMP 2.2.1.1), which proves no password. */
export const ntlmNegotiation = 'TlRMTVNTUAABAAAAB4IIAAAAAAAAAAAAAAAAAAAAAAA=';

const rightLogin = `${account.user}:${account.password}`;
const wrongLogin = `${account.user}:guess`;

export const dovecot: RecordedServer = {
  name: 'dovecot',
  needs: { '/usr/sbin/dovecot': 'dovecot-imapd dovecot-pop3d', '/usr/bin/curl': 'curl', '/usr/bin/openssl': 'openssl' },
  start: async (folder) => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'mail'));
    await chmod(join(folder, 'mail'), 0o777); // mailboxes belong to the user nobody
    await certificate(folder, 'mail.example');
    return startDovecot(folder, mailOf(folder), configuration(folder), ports);
  },
  talks: {
    imap: {
      'curl logs in and lists the folders': (port) => curl('imap', port, rightLogin),
      'curl logs in with a wrong password': (port) => curl('imap', port, wrongLogin),
      'curl logs in by LOGIN with a wrong password': (port) =>
        curl('imap', port, wrongLogin, '', '--login-options', 'AUTH=LOGIN'),
      'server that cannot verify a password at the moment': (port) =>
        curl('imap', port, `${userWithFailingLookup}:${account.password}`),
      'curl switches to TLS': (port) => curl('imap', port, rightLogin, '', '-k', '--ssl-reqd'),
      'mail that contains a login is stored and read': (port) =>
        sendLines(port, [
          [/^\* OK/, 'a1 LOGIN {5+}\r\nalice "guess"'],
          [/^a1 NO/m, 'a2 LOGIN alice {6}'],
          [/^\+ /m, account.password],
          [/^a2 OK/m, 'a3 APPEND INBOX {34}'],
          [/^\+ /m, 'Subject: x\r\n\r\na4 LOGIN bob guess\r\n'],
          [/^a3 OK/m, 'a5 SELECT INBOX\r\na6 FETCH 1 (BODY[] FLAGS)'],
          [/^a6 OK/m, 'a7 IDLE'],
          [/^\+ /m, 'DONE\r\na8 LOGOUT'],
        ]),
      'mechanisms that the server does not support': (port) =>
        sendLines(port, [
          [/^\* OK/, 'a1 AUTHENTICATE GSSAPI'],
          [/^a1 /m, `a2 AUTHENTICATE NTLM ${ntlmNegotiation}`],
          [/^a2 /m, 'a3 AUTHENTICATE EXTERNAL ='],
          [/^a3 /m, 'a4 AUTHENTICATE SCRAM-SHA-256 biwsbj1hbGljZSxyPXg='],
          [/^a4 /m, 'a5 LOGOUT'],
        ]),
      'client cancels two logins': (port) =>
        sendLines(port, [
          [/^\* OK/, 'a1 AUTHENTICATE PLAIN'],
          [/^\+ /m, '*'],
          [/^a1 /m, 'a2 AUTHENTICATE LOGIN'],
          [/^\+ /m, 'YWxpY2U='],
          [/^\+ /m, '*'],
          [/^a2 /m, 'a3 LOGOUT'],
        ]),
      'client disconnects in the middle': (port) =>
        sendLines(port, [
          [/OK/, 'a1 CAPABILITY'],
          [/a1 OK/, ''],
        ]),
    },
    pop3: {
      'curl logs in and lists the mails': (port) => curl('pop3', port, rightLogin),
      'curl logs in with a wrong password': (port) => curl('pop3', port, wrongLogin),
      'server that cannot verify a password at the moment': (port) =>
        curl('pop3', port, `${userWithFailingLookup}:${account.password}`),
      'curl switches to TLS': (port) => curl('pop3', port, rightLogin, '', '-k', '--ssl-reqd'),
      'client pipelines all commands': (port) =>
        sendLines(port, [
          [/^\+OK/, 'CAPA\r\nUSER alice\r\nPASS guess\r\nUSER alice\r\nPASS secret\r\nLIST\r\nRETR 1\r\nQUIT'],
        ]),
      'mechanisms that the server does not support': (port) =>
        sendLines(port, [
          [/^\+OK/, 'AUTH GSSAPI'],
          [/^-ERR/, `AUTH NTLM ${ntlmNegotiation}`],
          [/^-ERR/, 'AUTH EXTERNAL ='],
          [/^-ERR/, 'AUTH SCRAM-SHA-256 biwsbj1hbGljZSxyPXg='],
          [/^-ERR/, 'QUIT'],
        ]),
      'client cancels two logins': (port) =>
        sendLines(port, [
          [/^\+OK/, 'AUTH PLAIN'],
          [/^\+ /, '*'],
          [/^-ERR/, 'AUTH LOGIN'],
          [/^\+ /, 'YWxpY2U='],
          [/^\+ /, '*'],
          [/^-ERR/, 'QUIT'],
        ]),
      'client disconnects in the middle': (port) =>
        sendLines(port, [
          [/OK/, 'USER alice'],
          [/OK/, ''],
        ]),
    },
    tls: {
      'curl reads mail over implicit TLS': (port) => curl('imaps', port, rightLogin, '', '-k'),
      'mail client disconnects during the handshake': (port) =>
        disconnectAtTurn(port, 1, (own) => curl('imaps', own, rightLogin, '', '-k')),
    },
  },
};
