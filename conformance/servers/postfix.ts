/** Postfix, which checks passwords with Dovecot. Runs beside any other Postfix on the machine. */
import { dovecotCommand } from './dovecot.ts';
import { certificate, curl, type RealServer, type ServerEnvironment } from './server.ts';

/** The master is started directly: the command `postfix` would start it in a new session. */
const master = '/usr/lib/postfix/sbin/master';

const settingsOf = ({ folder, log }: ServerEnvironment, socket: string) => `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/postfix-data
maillog_file = ${log}
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example
mydestination = mx.example
alias_maps =
alias_database =
local_recipient_maps =
default_transport = discard
local_transport = discard
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_tls_security_level = may
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${socket}
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_error_sleep_time = 0
smtpd_client_auth_rate_limit = 0
`;

const services = (port: number) => `127.0.0.1:${port} inet n - n - - smtpd
anvil unix - - n - 1 anvil
bounce unix - - n - 0 bounce
cleanup unix n - n - 0 cleanup
defer unix - - n - 0 bounce
discard unix - - n - - discard
postlog unix-dgram n - n - 1 postlogd
proxymap unix - - n - - proxymap
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n 1000? 1 tlsmgr
trace unix - - n - 0 bounce
`;

export const postfix: RealServer = {
  name: 'Postfix',
  needs: {
    '/usr/sbin/postfix': 'postfix',
    '/usr/sbin/dovecot': 'dovecot-core',
    '/usr/bin/curl': 'curl',
    '/usr/bin/openssl': 'openssl',
  },
  protocols: ['smtp'],
  serve: (environment) => {
    const { folder, ports, write, run, startAlongside } = environment;
    const auth = 'service auth {\n  unix_listener for-postfix {\n    mode = 0666\n  }\n}';
    startAlongside(dovecotCommand(environment, `protocols = none\nssl = no\n${auth}`));
    certificate(environment, 'mx.example');
    run('install', '-d', `${folder}/postfix`, `${folder}/queue`);
    run('install', '-d', '-o', 'postfix', `${folder}/postfix-data`);
    write('postfix/main.cf', settingsOf(environment, `${folder}/run/for-postfix`));
    write('postfix/master.cf', services(ports.smtp));
    run('postfix', '-c', `${folder}/postfix`, 'check'); // creates the queue folders
    return { program: master, args: ['-c', `${folder}/postfix`, '-d'] };
  },
  logins: {
    smtp: {
      command: (port, password) =>
        curl(`smtp://127.0.0.1:${port}/laptop.example`, password, '--login-options', 'AUTH=PLAIN', '-X', 'NOOP'),
    },
  },
};
