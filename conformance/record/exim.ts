/** Records SMTP of Exim, with curl. Debian's Exim and Postfix packages conflict, so a machine has only one of them. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, disconnectAtTurn, run, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 22_025;
const program = '/usr/sbin/exim4';
const userWithFailingLookup = 'carol';

/**
 * Exim's condition for a correct password. For `userWithFailingLookup`, it reads a missing file: a temporary failure.
 */
const isRight = (user: string, password: string) =>
  `\${if eq{${user}}{${userWithFailingLookup}}{\${readfile{/nonexistent}}}{\${if and{{eq{${user}}{${account.user}}}{eq{${password}}{${account.password}}}}}}}`;

const configuration = (folder: string) => `
primary_hostname = mx.example
exim_user = mail
exim_group = mail
never_users =
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
pid_file_path = ${folder}/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
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

let filesFolder = '';

const curl = (at: number, user: string, password: string, ...more: string[]) =>
  run('curl', [
    ...[
      '-s',
      '-m',
      '20',
      '--mail-from',
      'a@shop.example',
      '--mail-rcpt',
      'b@mx.example',
      '-T',
      join(filesFolder, 'mail'),
    ],
    ...['-u', `${user}:${password}`, ...more, `smtp://127.0.0.1:${at}/laptop.example`],
  ]);
const asAlice = (at: number, password: string, ...more: string[]) => curl(at, account.user, password, ...more);

export const exim: RecordedServer = {
  name: 'exim',
  needs: { [program]: 'exim4-daemon-light', '/usr/bin/curl': 'curl', '/usr/bin/openssl': 'openssl' },
  start: async (folder) => {
    filesFolder = folder;
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'spool'));
    await certificate(folder, 'mx.example');
    await run('chown', ['mail', join(folder, 'spool'), join(folder, 'key.pem')]);
    await writeFile(join(folder, 'mail'), 'Subject: x\r\n\r\ntext\r\n');
    await writeFile(join(folder, 'exim.conf'), configuration(folder));
    return startServer({ smtp: port }, program, ['-C', join(folder, 'exim.conf'), '-bdf']);
  },
  talks: {
    smtp: {
      'curl logs in and sends a mail': (at) => asAlice(at, account.password),
      'curl logs in with a wrong password': (at) => asAlice(at, 'guess'),
      'curl logs in by LOGIN with a wrong password': (at) => asAlice(at, 'guess', '--login-options', 'AUTH=LOGIN'),
      'server that cannot verify a password at the moment': (at) => curl(at, userWithFailingLookup, account.password),
      'curl switches to TLS': (at) => asAlice(at, account.password, '-k', '--ssl-reqd'),
      'client disconnects during a login': (at) => disconnectAtTurn(at, 3, (own) => asAlice(own, account.password)),
    },
  },
};
