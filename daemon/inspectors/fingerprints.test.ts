/** Fingerprints of logins: which passwords are recognized when they are repeated. */
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { it } from 'node:test';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { inspectors } from './index.ts';
import { randomNumbers } from './testing/random.ts';
import { cutPieces, feed, type Piece, serviceOf } from './testing/vectors.ts';

type Talk = readonly (readonly [from: 'client' | 'server', bytes: string])[];

const key = (text: string) => createSecretKey(text.padEnd(32), 'latin1');

/** The fingerprints of the failed logins of a conversation. */
function fingerprints(protocol: Protocol, pieces: Iterable<Piece>, fingerprintKey = key('a')) {
  const session = inspectors[protocol].open({
    ...{ service: serviceOf(protocol), client: '192.0.2.1', guard: undefined, fingerprintKey },
  });
  const events = feed(session, pieces, false);
  return events.flatMap((event) => (event.kind === 'login' && event.outcome === 'failure' ? [event.fingerprint] : []));
}

const piecesOf = (talk: Talk): Piece[] => talk.map(([from, text]) => ({ from, bytes: Buffer.from(text, 'latin1') }));

/** The fingerprint of the last failure. It must not depend on how the bytes are split. */
function fingerprint(protocol: Protocol, talk: Talk): string | undefined {
  const pieces = piecesOf(talk);
  const found = fingerprints(protocol, pieces);
  const random = randomNumbers(1);
  assert.deepEqual(
    fingerprints(
      protocol,
      cutPieces(pieces, () => 1),
    ),
    found,
  );
  for (let run = 0; run < 5; run += 1)
    assert.deepEqual(
      fingerprints(
        protocol,
        cutPieces(pieces, () => 1 + Math.floor(random() * 40)),
      ),
      found,
    );
  assert.ok(found.length > 0, `${protocol}: no failure`);
  return found.at(-1);
}

const client = (text: string) => ['client', text] as const;
const server = (text: string) => ['server', text] as const;
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

const number = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer.toString('latin1');
};
const ber = (tag: number, content: string) => String.fromCharCode(tag, content.length) + content;
const resp = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
const mysql = (sequence: number, content: string) =>
  `${String.fromCharCode(content.length)}\0\0${String.fromCharCode(sequence)}${content}`;
const field = (text: string) => number(text.length, 2) + text;
const bson = (content: string) =>
  `${number(content.length + 5, 4)
    .split('')
    .reverse()
    .join('')}${content}\0`;
const little = (value: number) => number(value, 4).split('').reverse().join('');
const mongo = (id: number, to: number, content: string) => {
  const body = `${little(id)}${little(to)}${little(2013)}${little(0)}\0${bson(content)}`;
  return little(body.length + 4) + body;
};

/** One login of each form in which the password is visible. */
const logins: readonly (readonly [name: string, protocol: Protocol, talk: (user: string, password: string) => Talk])[] =
  [
    [
      'FTP',
      'ftp',
      (user, password) => [
        server('220 x\r\n'),
        client(`USER ${user}\r\n`),
        server('331 x\r\n'),
        client(`PASS ${password}\r\n`),
        server('530 x\r\n'),
      ],
    ],
    [
      'POP3',
      'pop3',
      (user, password) => [
        server('+OK\r\n'),
        client(`USER ${user}\r\n`),
        server('+OK\r\n'),
        client(`PASS ${password}\r\n`),
        server('-ERR\r\n'),
      ],
    ],
    [
      'POP3 by PLAIN',
      'pop3',
      (user, password) => [
        server('+OK\r\n'),
        client('AUTH PLAIN\r\n'),
        server('+ \r\n'),
        client(`${base64(`\0${user}\0${password}`)}\r\n`),
        server('-ERR\r\n'),
      ],
    ],
    [
      'IMAP',
      'imap',
      (user, password) => [server('* OK\r\n'), client(`a LOGIN "${user}" "${password}"\r\n`), server('a NO x\r\n')],
    ],
    [
      'IMAP by LOGIN',
      'imap',
      (user, password) => [
        server('* OK\r\n'),
        client('a AUTHENTICATE LOGIN\r\n'),
        server('+ \r\n'),
        client(`${base64(user)}\r\n`),
        server('+ \r\n'),
        client(`${base64(password)}\r\n`),
        server('a NO [AUTHENTICATIONFAILED] x\r\n'),
      ],
    ],
    [
      'SMTP',
      'smtp',
      (user, password) => [
        server('220 x\r\n'),
        client(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}\r\n`),
        server('535 5.7.8 x\r\n'),
      ],
    ],
    ['Redis', 'redis', (user, password) => [client(resp('AUTH', user, password)), server('-WRONGPASS x\r\n')]],
    [
      'Redis by HELLO',
      'redis',
      (user, password) => [client(resp('HELLO', '3', 'AUTH', user, password)), server('-WRONGPASS x\r\n')],
    ],
    [
      'LDAP',
      'ldap',
      (user, password) => [
        client(ber(0x30, `\x02\x01\x01${ber(0x60, `\x02\x01\x03${ber(4, user)}${ber(0x80, password)}`)}`)),
        server(ber(0x30, `\x02\x01\x01${ber(0x61, `\x0a\x01\x31\x04\0\x04\0`)}`)),
      ],
    ],
    [
      'MQTT',
      'mqtt',
      (user, password) => [
        client(ber(0x10, `\0\x04MQTT\x04\xc2\0\x3c${field('id')}${field(user)}${field(password)}`)),
        server('\x20\x02\0\x05'),
      ],
    ],
    [
      'PostgreSQL in clear text',
      'postgres',
      (user, password) => [
        client(`${number(user.length + 15, 4)}\0\x03\0\0user\0${user}\0\0`),
        server(`R${number(8, 4)}${number(3, 4)}`),
        client(`p${number(password.length + 5, 4)}${password}\0`),
        server(`E${number(13, 4)}C28P01\0\0\0`),
      ],
    ],
    [
      'MySQL in clear text',
      'mysql',
      (user, password) => [
        server(
          mysql(
            0,
            `\x0a8.0\0\x01\0\0\x00${'x'.repeat(8)}\0\0\x82\x21\0\0\x08\0\x15${'\0'.repeat(10)}${'x'.repeat(12)}\0`,
          ),
        ),
        client(mysql(1, `\0\x82\x08\0${'\0'.repeat(28)}${user}\0\0`)),
        server(mysql(2, '\xfemysql_clear_password\0')),
        client(mysql(3, `${password}\0`)),
        server(mysql(4, '\xff\x15\x04#28000no')),
      ],
    ],
    [
      'MongoDB by PLAIN',
      'mongodb',
      (user, password) => {
        const payload = `\0${user}\0${password}`;
        return [
          client(
            mongo(
              1,
              0,
              `\x10saslStart\0${little(1)}\x02mechanism\0${little(6)}PLAIN\0\x05payload\0${little(payload.length)}\0${payload}`,
            ),
          ),
          server(mongo(2, 1, `\x01ok\0${'\0'.repeat(8)}\x10code\0${little(18)}`)),
        ];
      },
    ],
    [
      'HTTP',
      'http',
      (user, password) => [
        client(`GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${base64(`${user}:${password}`)}\r\n\r\n`),
        server('HTTP/1.1 401 x\r\nContent-Length: 0\r\n\r\n'),
      ],
    ],
  ];

for (const [name, protocol, talk] of logins)
  it(`fingerprints: ${name}: equal for the same user and password only`, () => {
    const first = fingerprint(protocol, talk('alice', 'secret'));
    assert.match(first ?? '', /^[\w-]{22}$/);
    assert.equal(fingerprint(protocol, talk('alice', 'secret')), first);
    assert.notEqual(fingerprint(protocol, talk('alice', 'guess')), first);
    assert.notEqual(fingerprint(protocol, talk('alicf', 'secret')), first);
    assert.notEqual(fingerprints(protocol, piecesOf(talk('alice', 'secret')), key('b')).at(-1), first, 'another key');
  });

const absent = (protocol: Protocol, talk: Talk) => assert.equal(fingerprint(protocol, talk), undefined);

it('fingerprints: absent where the password is not visible', () => {
  absent('pop3', [server('+OK\r\n'), client('APOP alice 0123\r\n'), server('-ERR\r\n')]);
  absent('imap', [
    server('* OK\r\n'),
    client('a AUTHENTICATE CRAM-MD5\r\n'),
    server('+ PDE+\r\n'),
    client(`${base64('alice 0123')}\r\n`),
    server('a NO x\r\n'),
  ]);
  absent('http', [
    client('GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Digest username="a", response="0"\r\n\r\n'),
    server('HTTP/1.1 401 x\r\nContent-Length: 0\r\n\r\n'),
  ]);
});

it('fingerprints: absent for a literal and for a text of which a part may be missing', () => {
  absent('imap', [
    server('* OK [CAPABILITY LITERAL+] x\r\n'),
    client('a LOGIN alice {6+}\r\nsecret\r\n'),
    server('a NO x\r\n'),
  ]);
  const long = 'x'.repeat(1025);
  absent('imap', [server('* OK\r\n'), client(`a LOGIN alice ${long}\r\n`), server('a NO x\r\n')]);
  absent('redis', [client(resp('AUTH', 'alice', 'x'.repeat(240))), server('-WRONGPASS x\r\n')]);
  absent('redis', [client(resp('HELLO', '3', 'AUTH', 'a', 'b', 'SETNAME', 'c', 'd')), server('-WRONGPASS x\r\n')]);
});

it('fingerprints: absent behind a command without a reply, whose reply could be taken for that of the login', () => {
  absent('ftp', [server('220 x\r\n'), client('NOOP\r\nUSER a\r\nPASS b\r\n'), server('200 x\r\n331 x\r\n530 x\r\n')]);
  absent('pop3', [server('+OK\r\n'), client('NOOP\r\nUSER a\r\nPASS b\r\n'), server('+OK\r\n+OK\r\n-ERR\r\n')]);
  absent('imap', [server('* OK\r\n'), client('a NOOP\r\nb LOGIN a b\r\n'), server('a OK\r\nb NO x\r\n')]);
  absent('smtp', [
    server('220 x\r\n'),
    client(`NOOP\r\nAUTH PLAIN ${base64('\0a\0b')}\r\n`),
    server('250 x\r\n535 x\r\n'),
  ]);
  absent('redis', [client(`${resp('PING')}${resp('AUTH', 'a', 'b')}`), server('+PONG\r\n-WRONGPASS x\r\n')]);
});

it('fingerprints: absent when the last user was refused, because the server may keep the one before', () => {
  const talk = (first: string): Talk => [
    server('+OK\r\n'),
    client(`USER ${first}\r\n`),
    server('+OK\r\n'),
    client('USER b\r\n'),
    server('-ERR\r\n'),
    client('PASS c\r\n'),
    server('-ERR\r\n'),
  ];
  absent('pop3', talk('a'));
  absent('ftp', [
    server('220 x\r\n'),
    client('USER a\r\n'),
    server('331 x\r\n'),
    client('USER b\r\n'),
    server('530 x\r\n'),
    client('PASS c\r\n'),
    server('530 x\r\n'),
  ]);
});

it('fingerprints: of the first of several passwords that PostgreSQL had not requested yet', () => {
  const password = (text: string) => client(`p${number(text.length + 5, 4)}${text}\0`);
  const of = (...texts: string[]) =>
    fingerprint('postgres', [
      client(`${number(16, 4)}\0\x03\0\0user\0a\0\0`),
      ...texts.map(password),
      server(`R${number(8, 4)}${number(3, 4)}`),
      server(`E${number(13, 4)}C28P01\0\0\0`),
    ]);
  assert.notEqual(of('guess'), undefined);
  assert.equal(of('guess', 'old'), of('guess'));
  assert.notEqual(of('old', 'guess'), of('guess'));
});

it('fingerprints: of HTTP depend on the host, but those for a proxy do not', () => {
  const talk = (host: string, header: string): Talk => [
    client(`GET / HTTP/1.1\r\nHost: ${host}\r\n${header}: Basic ${base64('alice:secret')}\r\n\r\n`),
    server('HTTP/1.1 407 x\r\nContent-Length: 0\r\n\r\n'),
  ];
  const of = (host: string, header: string) => fingerprint('http', talk(host, header));
  assert.notEqual(of('a', 'Authorization'), of('b', 'Authorization'));
  assert.equal(of('a', 'Proxy-Authorization'), of('b', 'Proxy-Authorization'));
});
