/** Records HTTP of nginx, with curl: Basic authentication, an unavailable upstream, and the TLS port. */
import { page, nginx as server } from '../servers/nginx.ts';
import { right, user, wrong } from '../servers/server.ts';
import { disconnectAtTurn, run, sendLines } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const basic = (password: string) => `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const curl = (url: string, ...more: string[]) => run('curl', ['-s', '-k', '-m', '20', '-o', '/dev/null', ...more, url]);
const ask = (at: number, path: string, ...more: string[]) => curl(`http://127.0.0.1:${at}/${path}`, ...more);
const loginArguments = (password: string) => ['-u', `${user}:${password}`];
const askByName = (at: number, ...more: string[]) =>
  curl(`https://www.example:${at}/`, '--resolve', `www.example:${at}:127.0.0.1`, ...more);

const guesses = [wrong, 'secrets']
  .map((password) => `GET /${page} HTTP/1.1\r\nHost: www.example\r\n${basic(password)}\r\n`)
  .join('\r\n');

export const nginx: RecordedTalks = {
  name: 'nginx',
  server,
  talks: {
    http: {
      'curl logs in': (at) => ask(at, page, ...loginArguments(right)),
      'curl logs in with a wrong password': (at) => ask(at, page, ...loginArguments(wrong)),
      'curl sends a request without a password, then one with a wrong password': (at) =>
        ask(at, page, '--anyauth', ...loginArguments(wrong)),
      'page that needs a password, without one': (at) => ask(at, page),
      'right password where the upstream is down, and where a rate limit applies': (at) =>
        ask(
          at,
          'private/gone/',
          ...loginArguments(right),
          '--next',
          '-s',
          '-o',
          '/dev/null',
          ...loginArguments(right),
          `http://127.0.0.1:${at}/private/often/`,
        ),
      'right password for a page that no user may read': (at) => ask(at, 'private/closed/', ...loginArguments(right)),
      'wrong password in a request that waits for 100 Continue': (at) =>
        ask(at, page, ...loginArguments(wrong), '-d', 'x'.repeat(64), '-H', 'Expect: 100-continue'),
      'pipelined requests with wrong passwords': (at) =>
        sendLines(at, [
          [/^$/, guesses],
          [/ 401 .* 401 .*<.html>/s, ''],
        ]),
      'client disconnects when the server responds': (at) =>
        disconnectAtTurn(at, 1, (own) => ask(own, page, ...loginArguments(wrong))),
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
