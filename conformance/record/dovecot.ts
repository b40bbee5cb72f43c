/** Records IMAP and POP3 of Dovecot, with curl and line by line. */
import { dovecot as server } from '../servers/dovecot.ts';
import { right, user, userWithFailingLookup, wrong } from '../servers/server.ts';
import { disconnectAtTurn, run, sendLines } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const curl = (scheme: string, port: number, login: string, path = '', ...more: string[]) =>
  run('curl', ['-s', '-m', '20', '-u', login, ...more, `${scheme}://127.0.0.1:${port}/${path}`]);

/** The first message of NTLM (MS-NLMP 2.2.1.1), which proves no password. */
export const ntlmNegotiation = 'TlRMTVNTUAABAAAAB4IIAAAAAAAAAAAAAAAAAAAAAAA=';

const rightLogin = `${user}:${right}`;
const wrongLogin = `${user}:${wrong}`;

export const dovecot: RecordedTalks = {
  name: 'dovecot',
  server,
  talks: {
    imap: {
      'curl logs in and lists the folders': (port) => curl('imap', port, rightLogin),
      'curl logs in with a wrong password': (port) => curl('imap', port, wrongLogin),
      'curl logs in by LOGIN with a wrong password': (port) =>
        curl('imap', port, wrongLogin, '', '--login-options', 'AUTH=LOGIN'),
      'server that cannot verify a password at the moment': (port) =>
        curl('imap', port, `${userWithFailingLookup}:${right}`),
      'curl switches to TLS': (port) => curl('imap', port, rightLogin, '', '-k', '--ssl-reqd'),
      'mail that contains a login is stored and read': (port) =>
        sendLines(port, [
          [/^\* OK/, 'a1 LOGIN {5+}\r\nalice "guess"'],
          [/^a1 NO/m, 'a2 LOGIN alice {6}'],
          [/^\+ /m, right],
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
        curl('pop3', port, `${userWithFailingLookup}:${right}`),
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
