/** Records SMTP of Postfix, with curl and line by line. */
import { postfix as server } from '../servers/postfix.ts';
import { right, user, userWithFailingLookup, wrong } from '../servers/server.ts';
import { sendLines, sendMail } from './commands.ts';
import { ntlmNegotiation } from './dovecot.ts';
import type { RecordedTalks } from './talks.ts';

export const postfix: RecordedTalks = {
  name: 'postfix',
  server,
  talks: {
    smtp: {
      'curl logs in and sends a mail': sendMail(user, right),
      'curl logs in with a wrong password': sendMail(user, wrong),
      'curl logs in by LOGIN with a wrong password': sendMail(user, wrong, '--login-options', 'AUTH=LOGIN'),
      'server that cannot verify a password at the moment and replies as to a wrong one': (at) =>
        sendLines(at, [
          [/^220 /m, 'EHLO laptop.example'],
          [/^250 /m, `AUTH PLAIN ${Buffer.from(`\0${userWithFailingLookup}\0${right}`).toString('base64')}`],
          [/^535 /m, 'QUIT'],
        ]),
      'curl switches to TLS': sendMail(user, right, '-k', '--ssl-reqd'),
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
