/** What waits behind a login of each protocol: the bytes that the inspector leaves, and the login that is judged. */
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { inspectors, waitingProtocols } from './index.ts';
import type { Attempt, Side } from './inspector.ts';
import { serviceOf } from './testing/vectors.ts';

const fingerprintKey = createSecretKey('key', 'latin1');

interface Case {
  readonly what: string;
  readonly protocol: Protocol;
  readonly steps: readonly (readonly [Side, string])[];
  /** The end of the last bytes of the client that waits. */
  readonly left: string;
  readonly attempt?: Attempt;
}

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const plain = base64('\0alice\0x');
const basic = `Authorization: Basic ${base64('alice:x')}\r\n`;

const alice: Attempt = { user: 'alice' };
const smtpGreeting: Case['steps'] = [
  ['server', '220 a\r\n'],
  ['client', 'EHLO a\r\n'],
  ['server', '250 a\r\n'],
];
const mysqlGreeting = `${'\x4a\0\0\0\x0a5.7\0'}${'\0'.repeat(4 + 8 + 1)}\0\0${'\0'.repeat(60)}`.slice(0, 78);
const handshake = `\x00\x82\0\0${'\0'.repeat(28)}alice\0\x01x`;
const mysqlResponse = `${String.fromCharCode(handshake.length)}\0\0\x01${handshake}`;
const startup = '\0\0\0\x14\0\x03\0\0user\0alice\0\0';
const bind = '\x30\x13\x02\x01\x01\x60\x0e\x02\x01\x03\x04\x05alice\x80\x02pw';
const little = (value: number) => `${String.fromCharCode(value)}\0\0\0`;
const document = (content: string) => `${little(content.length + 5)}${content}\0`;
const saslStart = document(
  `\x10saslStart\0${little(1)}\x02mechanism\0${little(6)}PLAIN\0\x05payload\0${little(8)}\0\0alice\0x`,
);
/** An OP_MSG (2013) with one document. */
const mongoLogin = `${little(saslStart.length + 21)}${little(1)}${little(0)}\xdd\x07\0\0${little(0)}\0${saslStart}`;
const connect = '\x10\x1a\0\x04MQTT\x04\xc2\0\x3c\0\x01c\0\x05alice\0\x04word';

const cases: readonly Case[] = [
  {
    what: 'AUTH',
    protocol: 'redis',
    steps: [['client', 'AUTH alice x\r\nPING\r\n']],
    left: 'PING\r\n',
    attempt: alice,
  },
  {
    what: 'HELLO',
    protocol: 'redis',
    steps: [['client', 'HELLO 3 AUTH alice x\r\nGET a\r\n']],
    left: 'GET a\r\n',
    attempt: alice,
  },
  { what: 'commands without a login', protocol: 'redis', steps: [['client', 'HELLO 3\r\nPING\r\n']], left: '' },
  {
    what: 'the reply to an earlier command',
    protocol: 'redis',
    steps: [
      ['client', 'PING\r\nAUTH alice x\r\nPING\r\n'],
      ['server', '+PONG\r\n'],
      ['client', 'x'],
    ],
    left: 'x',
    attempt: alice,
  },
  {
    what: 'a transaction with a login',
    protocol: 'redis',
    steps: [
      ['client', 'MULTI\r\nAUTH alice x\r\n'],
      ['server', '+OK\r\n+QUEUED\r\n'],
      ['client', 'EXEC\r\nPING\r\n'],
    ],
    left: 'PING\r\n',
    attempt: alice,
  },
  {
    what: 'AUTH with a response',
    protocol: 'smtp',
    steps: [...smtpGreeting, ['client', `AUTH PLAIN ${plain}\r\nQUIT\r\n`]],
    left: 'QUIT\r\n',
    attempt: alice,
  },
  {
    what: 'AUTH without a response',
    protocol: 'smtp',
    steps: [...smtpGreeting, ['client', `AUTH PLAIN\r\n${plain}\r\n`]],
    left: `${plain}\r\n`,
  },
  {
    what: 'a challenge',
    protocol: 'smtp',
    steps: [...smtpGreeting, ['client', 'AUTH PLAIN\r\n'], ['server', '334 \r\n'], ['client', `${plain}\r\nQUIT\r\n`]],
    left: 'QUIT\r\n',
    attempt: alice,
  },
  {
    what: 'PASS',
    protocol: 'pop3',
    steps: [
      ['server', '+OK\r\n'],
      ['client', 'USER alice\r\nPASS x\r\nSTAT\r\n'],
    ],
    left: 'STAT\r\n',
    attempt: alice,
  },
  {
    what: 'AUTH',
    protocol: 'pop3',
    steps: [
      ['server', '+OK\r\n'],
      ['client', `AUTH PLAIN ${plain}\r\nSTAT\r\n`],
    ],
    left: 'STAT\r\n',
    attempt: alice,
  },
  {
    what: 'LOGIN',
    protocol: 'imap',
    steps: [
      ['server', '* OK\r\n'],
      ['client', 'a LOGIN alice x\r\nb NOOP\r\n'],
    ],
    left: 'b NOOP\r\n',
    attempt: alice,
  },
  {
    what: 'an untagged reply',
    protocol: 'imap',
    steps: [
      ['server', '* OK\r\n'],
      ['client', 'a LOGIN alice x\r\n'],
      ['server', '* CAPABILITY X\r\n'],
      ['client', 'b NOOP\r\n'],
    ],
    left: 'b NOOP\r\n',
    attempt: alice,
  },
  {
    what: 'AUTHENTICATE',
    protocol: 'imap',
    steps: [
      ['server', '* OK\r\n'],
      ['client', `a AUTHENTICATE PLAIN\r\n${plain}\r\n`],
    ],
    left: `${plain}\r\n`,
  },
  { what: 'a bind', protocol: 'ldap', steps: [['client', `${bind}${bind}`]], left: bind, attempt: alice },
  {
    what: 'PASS',
    protocol: 'ftp',
    steps: [
      ['server', '220 a\r\n'],
      ['client', 'USER alice\r\nPASS x\r\nSYST\r\n'],
    ],
    left: 'SYST\r\n',
    attempt: alice,
  },
  {
    what: 'USER',
    protocol: 'ftp',
    steps: [
      ['server', '220 a\r\n'],
      ['client', 'USER alice\r\nSYST\r\n'],
    ],
    left: '',
  },
  {
    what: 'credentials',
    protocol: 'http',
    steps: [['client', `GET / HTTP/1.1\r\nHost: a\r\n${basic}\r\nGET`]],
    left: 'GET',
    attempt: alice,
  },
  {
    what: 'the body of a request with credentials',
    protocol: 'http',
    steps: [['client', `POST / HTTP/1.1\r\nHost: a\r\n${basic}Content-Length: 3\r\n\r\nabcGET`]],
    left: 'GET',
    attempt: alice,
  },
  {
    what: 'an unfinished body',
    protocol: 'http',
    steps: [['client', `POST / HTTP/1.1\r\nHost: a\r\n${basic}Content-Length: 9\r\n\r\nabc`]],
    left: '',
    attempt: alice,
  },
  {
    what: 'requests without credentials',
    protocol: 'http',
    steps: [['client', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET']],
    left: '',
  },
  {
    what: 'a bearer token',
    protocol: 'http',
    steps: [['client', 'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n\r\nGET']],
    left: '',
  },
  {
    what: 'accepted credentials',
    protocol: 'http',
    steps: [
      ['client', `GET / HTTP/1.1\r\nHost: a\r\n${basic}\r\n`],
      ['server', 'HTTP/1.1 200 a\r\nContent-Length: 0\r\n\r\n'],
      ['client', `GET / HTTP/1.1\r\nHost: a\r\n${basic}\r\nGET`],
    ],
    left: '',
  },
  {
    what: 'the response to the handshake',
    protocol: 'mysql',
    steps: [
      ['server', mysqlGreeting],
      ['client', `${mysqlResponse}\x01\0\0\0\x0e`],
    ],
    left: '\x01\0\0\0\x0e',
    attempt: alice,
  },
  {
    what: 'an empty answer to another method',
    protocol: 'mysql',
    steps: [
      ['server', mysqlGreeting],
      ['client', mysqlResponse],
      ['server', '\x02\0\0\x02\xfex'],
      ['client', '\0\0\0\x03\x01\0\0\0\x0e'],
    ],
    left: '\x01\0\0\0\x0e',
    attempt: alice,
  },
  {
    what: 'a startup message',
    protocol: 'postgres',
    steps: [['client', `${startup}p\0\0\0\x06x\0`]],
    left: 'p\0\0\0\x06x\0',
  },
  {
    what: 'a password',
    protocol: 'postgres',
    steps: [
      ['client', startup],
      ['server', 'R\0\0\0\x08\0\0\0\x03'],
      ['client', 'p\0\0\0\x06x\0Q\0\0\0\x05\0'],
    ],
    left: 'Q\0\0\0\x05\0',
    attempt: alice,
  },
  {
    what: 'a password that the server has accepted, until it is ready',
    protocol: 'postgres',
    steps: [
      ['client', startup],
      ['server', 'R\0\0\0\x08\0\0\0\x03'],
      ['client', 'p\0\0\0\x06x\0'],
      ['server', 'R\0\0\0\x08\0\0\0\0'],
      ['client', 'Q\0\0\0\x05\0'],
    ],
    left: 'Q\0\0\0\x05\0',
    attempt: alice,
  },
  { what: 'saslStart', protocol: 'mongodb', steps: [['client', `${mongoLogin}x`]], left: 'x', attempt: alice },
  { what: 'CONNECT', protocol: 'mqtt', steps: [['client', `${connect}\xc0\0`]], left: '\xc0\0', attempt: alice },
  {
    what: 'CONNECT without a name',
    protocol: 'mqtt',
    steps: [['client', '\x10\x0d\0\x04MQTT\x04\x02\0\x3c\0\x01c\xc0\0']],
    left: '',
  },
  {
    what: 'a response to the challenge',
    protocol: 'vnc',
    steps: [
      ['server', 'RFB 003.008\n'],
      ['client', 'RFB 003.008\n'],
      ['server', '\x01\x02'],
      ['client', '\x02'],
      ['server', 'c'.repeat(16)],
      ['client', `${'r'.repeat(16)}\x01`],
    ],
    left: '\x01',
    attempt: { user: undefined },
  },
];

for (const { what, protocol, steps, left, attempt } of cases)
  test(`${protocol}: ${left === '' ? 'nothing waits' : 'the client waits'} behind ${what}`, () => {
    const session = inspectors[protocol].open({
      ...{ service: serviceOf(protocol), client: '192.0.2.1', guard: undefined, fingerprintKey },
    });
    for (const [side, text] of steps)
      for (const { kind } of session.feed(side, Buffer.from(text, 'latin1')))
        assert.ok(kind === 'fact' || kind === 'login', kind);
    assert.equal(session.login?.left(), left.length);
    assert.deepEqual(session.login?.attempt(), attempt);
    assert.equal(session.isDone(), false);
  });

test('the protocols with a wait are those of the table', () => {
  const waiting = new Set(cases.filter(({ left, attempt }) => left !== '' || attempt).map(({ protocol }) => protocol));
  assert.deepEqual(new Set(waitingProtocols), waiting);
});
