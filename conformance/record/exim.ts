/** Records SMTP of Exim, with curl. */
import { exim as server } from '../servers/exim.ts';
import { right, user, userWithFailingLookup, wrong } from '../servers/server.ts';
import { disconnectAtTurn, sendMail } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

export const exim: RecordedTalks = {
  name: 'exim',
  server,
  needs: { '/usr/bin/curl': 'curl' },
  talks: {
    smtp: {
      'curl logs in and sends a mail': sendMail(user, right),
      'curl logs in with a wrong password': sendMail(user, wrong),
      'curl logs in by LOGIN with a wrong password': sendMail(user, wrong, '--login-options', 'AUTH=LOGIN'),
      'server that cannot verify a password at the moment': sendMail(userWithFailingLookup, right),
      'curl switches to TLS': sendMail(user, right, '-k', '--ssl-reqd'),
      'client disconnects during a login': (at, environment) =>
        disconnectAtTurn(at, 3, (own) => sendMail(user, right)(own, environment)),
    },
  },
};
