/** Mail servers: Dovecot and Postfix with the same users. */
import { curl, type RealServer, right, type ServerEnvironment, user } from './server.ts';

const program = '/usr/sbin/dovecot';

/** Writes a configuration of Dovecot, in which failed logins get a response without delay. */
function dovecotFile({ folder, write, run }: ServerEnvironment, listeners: string, protocols: string): string {
  const users = write('users', `${user}:{PLAIN}${right}::::::\n`, 0o644);
  run('install', '-d', '-o', 'mail', `${folder}/mail`);
  return write(
    'dovecot.conf',
    `protocols = ${protocols}
listen = 127.0.0.1
base_dir = ${folder}/run
log_path = ${folder}/dovecot.log
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u
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
${listeners}
`,
    0o644,
  );
}

const loginListener = (service: string, port: number): string => `service ${service}-login {
  inet_listener ${service} {
    port = ${port}
  }
  inet_listener ${service}s {
    port = 0
  }
}`;

const dovecotServer = (protocol: 'imap' | 'pop3'): RealServer => ({
  name: `Dovecot with curl, ${protocol}`,
  protocol,
  programs: [program, `/usr/lib/dovecot/${protocol}`, '/usr/bin/curl'],
  serve: (environment) => ({
    program,
    args: ['-F', '-c', dovecotFile(environment, loginListener(protocol, environment.port), protocol)],
  }),
  login: (port, password) => curl(`${protocol}://127.0.0.1:${port}/`, password),
});

export const imap = dovecotServer('imap');
export const pop3 = dovecotServer('pop3');

/** The master is started directly: the command `postfix` would start it in a new session. */
const postfixMaster = '/usr/lib/postfix/sbin/master';

/** Postfix, which checks passwords with Dovecot. */
export const smtp: RealServer = {
  name: 'Postfix with curl',
  protocol: 'smtp',
  programs: ['/usr/sbin/postfix', postfixMaster, program, '/usr/bin/curl'],
  serve: (environment) => {
    const { folder, port, write, run, startAlongside } = environment;
    const socket = `${folder}/run/for-postfix`;
    const auth = `service auth {\n  unix_listener for-postfix {\n    mode = 0666\n  }\n}`;
    startAlongside({ program, args: ['-F', '-c', dovecotFile(environment, auth, 'none')] });
    run('install', '-d', `${folder}/postfix`, `${folder}/queue`);
    run('install', '-d', '-o', 'postfix', `${folder}/postfix-data`);
    const main = `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/postfix-data
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination = localhost
alias_maps =
alias_database =
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${socket}
smtpd_sasl_security_options = noanonymous
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_error_sleep_time = 0
smtpd_client_auth_rate_limit = 0
`;
    const rows = [
      `127.0.0.1:${port} inet n - n - - smtpd`,
      ...['anvil unix - - n - 1 anvil', 'rewrite unix - - n - - trivial-rewrite', 'proxymap unix - - n - - proxymap'],
      ...['cleanup unix n - n - 0 cleanup', 'postlog unix-dgram n - n - 1 postlogd'],
    ];
    write('postfix/main.cf', main, 0o644);
    write('postfix/master.cf', `${rows.join('\n')}\n`, 0o644);
    run('postfix', '-c', `${folder}/postfix`, 'check'); // creates the queue folders
    return { program: postfixMaster, args: ['-c', `${folder}/postfix`, '-d'] };
  },
  login: (port, password) =>
    curl(`smtp://127.0.0.1:${port}/probe.example`, password, '--login-options', 'AUTH=PLAIN', '-X', 'NOOP'),
};
