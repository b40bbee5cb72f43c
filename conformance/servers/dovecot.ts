/** Dovecot: IMAP, POP3 and implicit TLS. Postfix checks passwords with it. */
import type { Protocol } from '../../contract/daemon/protocols.ts';
import {
  type Command,
  certificate,
  curl,
  type Login,
  type RealServer,
  right,
  type ServerEnvironment,
  user,
  userWithFailingLookup,
} from './server.ts';

const program = '/usr/sbin/dovecot';

/**
 * Returns the command of a Dovecot that logs each failed login at once, and does not delay the logins of a client more
 * after each failure.
 */
export function dovecotCommand(
  { folder, log, write, run, address, failureDelay }: ServerEnvironment,
  settings: string,
): Command {
  const users = write('users', `${user}:{PLAIN}${right}::::::\n`);
  const failing = write('failing-lookup', '#!/bin/sh\nexit 111\n', 0o755);
  run('install', '-d', '-o', 'mail', `${folder}/mail`);
  const file = write(
    'dovecot.conf',
    `listen = ${address}
base_dir = ${folder}/run
log_path = ${log}
auth_mechanisms = plain login
disable_plaintext_auth = no
auth_failure_delay = ${failureDelay} s
auth_verbose = yes
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u
passdb {
  driver = checkpassword
  args = ${failing}
  username_filter = ${userWithFailingLookup}
  result_internalfail = return
}
passdb {
  driver = passwd-file
  args = ${users}
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/mail
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
${settings}
`,
  );
  return { program, args: ['-F', '-c', file] };
}

const listener = (name: string, port: number): string => `inet_listener ${name} {
    port = ${port}
  }`;

const loginOf = (protocol: Protocol): Login => ({
  command: (port, password) => curl(`${protocol}://127.0.0.1:${port}/`, password),
});

export const dovecot: RealServer = {
  name: 'Dovecot',
  needs: {
    [program]: 'dovecot-core',
    '/usr/lib/dovecot/imap': 'dovecot-imapd',
    '/usr/lib/dovecot/pop3': 'dovecot-pop3d',
    '/usr/bin/curl': 'curl',
    '/usr/bin/openssl': 'openssl',
  },
  protocols: ['imap', 'pop3', 'tls'],
  serve: (environment) => {
    const { ports } = environment;
    const files = certificate(environment, 'mail.example');
    return dovecotCommand(
      environment,
      `protocols = imap pop3
ssl = yes
ssl_cert = <${files.certificate}
ssl_key = <${files.key}
service imap-login {
  ${listener('imap', ports.imap)}
  ${listener('imaps', ports.tls)}
}
service pop3-login {
  ${listener('pop3', ports.pop3)}
  ${listener('pop3s', 0)}
}`,
    );
  },
  logins: { imap: loginOf('imap'), pop3: loginOf('pop3') },
};
