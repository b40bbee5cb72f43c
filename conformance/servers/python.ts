/** Servers in Python. Unlike servers in C, they end lines only at CRLF and cut long lines. */
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { type Command, curl, type RealServer, right, type ServerEnvironment, user } from './server.ts';

const python = '/usr/bin/python3';
const packages = '/usr/lib/python3/dist-packages';

function script({ folder }: ServerEnvironment, port: number, name: string, ...args: string[]): Command {
  const path = join(packageRoot, 'conformance/servers/python', name);
  return { program: python, args: ['-B', path, ...args, `${port}`, folder, user, right] };
}

export const pyftpdlib: RealServer = {
  name: 'pyftpdlib',
  needs: { [`${packages}/pyftpdlib/handlers.py`]: 'python3-pyftpdlib', '/usr/bin/curl': 'curl' },
  protocols: ['ftp'],
  serve: (environment) => script(environment, environment.ports.ftp, 'pyftpdlib_server.py'),
  logins: { ftp: { command: (port, password) => curl(`ftp://127.0.0.1:${port}/`, password) } },
};

const twistedLogins = {
  ftp: (port: number, password: string) => curl(`ftp://127.0.0.1:${port}/`, password),
  pop3: (port: number, password: string) => curl(`pop3://127.0.0.1:${port}/`, password),
  imap: (port: number, password: string) => curl(`imap://127.0.0.1:${port}/`, password),
  smtp: (port: number, password: string) =>
    curl(`smtp://127.0.0.1:${port}/laptop.example`, password, '--login-options', 'AUTH=PLAIN', '-X', 'RSET'),
};

export const twisted = Object.entries(twistedLogins).map(([name, command]): RealServer => {
  const protocol = name as keyof typeof twistedLogins;
  return {
    name: 'Twisted',
    needs: { [`${packages}/twisted/mail/smtp.py`]: 'python3-twisted', '/usr/bin/curl': 'curl' },
    protocols: [protocol],
    serve: (environment) => script(environment, environment.ports[protocol], 'twisted_server.py', protocol),
    logins: { [protocol]: { command } },
  };
});
