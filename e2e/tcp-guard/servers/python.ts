/** Servers in Python. Unlike servers in C, they end lines only at CRLF and cut long lines. */
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { type Command, curl, type RealServer, right, type ServerEnvironment, user } from './server.ts';

const python = '/usr/bin/python3';
const packages = '/usr/lib/python3/dist-packages';

function script({ folder, port }: ServerEnvironment, name: string, ...args: string[]): Command {
  const path = join(packageRoot, 'e2e/tcp-guard/servers/python', name);
  return { program: python, args: ['-B', path, ...args, `${port}`, folder, user, right] };
}

export const pyftpdlib: RealServer = {
  name: 'pyftpdlib with curl',
  protocol: 'ftp',
  programs: [python, `${packages}/pyftpdlib/handlers.py`, '/usr/bin/curl'],
  serve: (environment) => script(environment, 'pyftpdlib_server.py'),
  login: (port, password) => curl(`ftp://127.0.0.1:${port}/`, password),
};

const twistedServer = (protocol: 'ftp' | 'pop3' | 'imap' | 'smtp', login: RealServer['login']): RealServer => ({
  name: `Twisted with curl, ${protocol}`,
  protocol,
  programs: [python, `${packages}/twisted/mail/smtp.py`, '/usr/bin/curl'],
  serve: (environment) => script(environment, 'twisted_server.py', protocol),
  login,
});

export const twistedFtp = twistedServer('ftp', (port, password) => curl(`ftp://127.0.0.1:${port}/`, password));
export const twistedPop3 = twistedServer('pop3', (port, password) => curl(`pop3://127.0.0.1:${port}/`, password));
export const twistedImap = twistedServer('imap', (port, password) => curl(`imap://127.0.0.1:${port}/`, password));
export const twistedSmtp = twistedServer('smtp', (port, password) =>
  curl(`smtp://127.0.0.1:${port}/probe.example`, password, '--login-options', 'AUTH=PLAIN', '-X', 'RSET'),
);
