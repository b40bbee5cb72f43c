/** Records HTTP of nginx, with curl: Basic authentication, an unavailable upstream, and the TLS port. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate, disconnectAtTurn, run, sendLines, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const ports = { http: 21_080, tls: 21_443 } as const;
const unusedPort = 9; // no server listens there

const configuration = (folder: string) => `
daemon off;
user root;
pid ${folder}/pid;
error_log ${folder}/log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${ports.http};
    listen 127.0.0.1:${ports.tls} ssl http2;
    server_name www.example;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    root ${folder}/pages;
    location /private/ {
      auth_basic "private";
      auth_basic_user_file ${folder}/passwords;
    }
    location /private/gone/ {
      proxy_pass http://127.0.0.1:${unusedPort}/;
    }
    location /private/closed/ {
      deny all;
      satisfy all;
    }
    location /private/often/ {
      return 429;
    }
  }
}
`;

/** nginx compares plain-text passwords without a hash function. */
const passwords = `${account.user}:{PLAIN}${account.password}\n`;

const basic = (password: string) =>
  `Authorization: Basic ${Buffer.from(`${account.user}:${password}`).toString('base64')}`;

const page = 'private/index.html';
const curl = (url: string, ...more: string[]) => run('curl', ['-s', '-k', '-m', '20', '-o', '/dev/null', ...more, url]);
const ask = (at: number, path: string, ...more: string[]) => curl(`http://127.0.0.1:${at}/${path}`, ...more);
const loginArguments = (password: string) => ['-u', `${account.user}:${password}`];
const askByName = (at: number, ...more: string[]) =>
  curl(`https://www.example:${at}/`, '--resolve', `www.example:${at}:127.0.0.1`, ...more);

const guesses = ['guess', 'secrets']
  .map((password) => `GET /${page} HTTP/1.1\r\nHost: www.example\r\n${basic(password)}\r\n`)
  .join('\r\n');

export const nginx: RecordedServer = {
  name: 'nginx',
  needs: { '/usr/sbin/nginx': 'nginx-light', '/usr/bin/curl': 'curl', '/usr/bin/openssl': 'openssl' },
  start: async (folder) => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'pages/private'), { recursive: true });
    for (const name of ['index.html', page]) await writeFile(join(folder, 'pages', name), 'hello\n');
    await writeFile(join(folder, 'passwords'), passwords);
    await certificate(folder, 'www.example');
    await writeFile(join(folder, 'nginx.conf'), configuration(folder));
    return startServer(ports, '/usr/sbin/nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  },
  talks: {
    http: {
      'curl logs in': (at) => ask(at, page, ...loginArguments(account.password)),
      'curl logs in with a wrong password': (at) => ask(at, page, ...loginArguments('guess')),
      'curl sends a request without a password, then one with a wrong password': (at) =>
        ask(at, page, '--anyauth', ...loginArguments('guess')),
      'page that needs a password, without one': (at) => ask(at, page),
      'right password where the upstream is down, and where a rate limit applies': (at) =>
        ask(
          at,
          'private/gone/',
          ...loginArguments(account.password),
          '--next',
          '-s',
          '-o',
          '/dev/null',
          ...loginArguments(account.password),
          `http://127.0.0.1:${at}/private/often/`,
        ),
      'right password for a page that no user may read': (at) =>
        ask(at, 'private/closed/', ...loginArguments(account.password)),
      'wrong password in a request that waits for 100 Continue': (at) =>
        ask(at, page, ...loginArguments('guess'), '-d', 'x'.repeat(64), '-H', 'Expect: 100-continue'),
      'pipelined requests with wrong passwords': (at) =>
        sendLines(at, [
          [/^$/, guesses],
          [/ 401 .* 401 .*<.html>/s, ''],
        ]),
      'client disconnects when the server responds': (at) =>
        disconnectAtTurn(at, 1, (own) => ask(own, page, ...loginArguments('guess'))),
    },
    tls: {
      'curl uses HTTP/2 over TLS 1.3': (at) => askByName(at),
      'curl uses HTTP/1.1 over TLS 1.2': (at) => askByName(at, '--tls-max', '1.2', '--http1.1'),
      'server that refuses the TLS version': (at) =>
        run('openssl', ['s_client', '-tls1_1', '-cipher', 'ALL:@SECLEVEL=0', '-connect', `127.0.0.1:${at}`]),
      'request without TLS': (at) => curl(`http://127.0.0.1:${at}/`),
      'client disconnects during the handshake': (at) => disconnectAtTurn(at, 1, (own) => askByName(own)),
    },
  },
};
