/** Exim. Debian's packages of Exim and Postfix conflict, so a machine has only one of them. */
import { certificate, type RealServer, right, type ServerEnvironment, user, userWithFailingLookup } from './server.ts';

const program = '/usr/sbin/exim4';

/**
 * Exim's condition for a correct password. For `userWithFailingLookup`, it reads a missing file: a temporary failure.
 */
const isRight = (name: string, password: string) =>
  `\${if eq{${name}}{${userWithFailingLookup}}{\${readfile{/nonexistent}}}{\${if and{{eq{${name}}{${user}}}{eq{${password}}{${right}}}}}}}`;

const configuration = ({ folder, ports }: ServerEnvironment) => `
primary_hostname = mx.example
exim_user = mail
exim_group = mail
never_users =
spool_directory = ${folder}/spool
log_file_path = ${folder}/%slog
pid_file_path = ${folder}/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${ports.smtp}
host_lookup =
rfc1413_query_timeout = 0s
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
acl_smtp_rcpt = accept
acl_smtp_data = discard
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${isRight('$auth2', '$auth3')}
  server_set_id = $auth2
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = ${isRight('$auth1', '$auth2')}
  server_set_id = $auth1
`;

export const exim: RealServer = {
  name: 'Exim',
  needs: { [program]: 'exim4-daemon-light', '/usr/bin/openssl': 'openssl' },
  protocols: ['smtp'],
  serve: (environment) => {
    const { folder, log, run, write } = environment;
    run('install', '-d', '-o', 'mail', `${folder}/spool`);
    run('ln', '-s', log, `${folder}/mainlog`);
    run('chown', 'mail', folder); // Exim creates its other two logs
    certificate(environment, 'mx.example', 'mail');
    return { program, args: ['-C', write('exim.conf', configuration(environment)), '-bdf'] };
  },
};
