/** The start of a conversation in each protocol, for the probes and for the backend of a sandbox. */
import type { Protocol } from '../../../contract/daemon/protocols.ts';

export interface Turn {
  readonly send: Buffer;
  readonly reply: Buffer;
}

export interface Conversation {
  /** First bytes of the server. */
  readonly greeting?: Buffer;
  /** Turns that every client may send. */
  readonly hello?: readonly Turn[];
  /** A failed login that the server reports in plain text. A repeated password does not count. */
  readonly badLogin?: (password: string) => readonly Turn[];
}

/** Greatest number of failed logins that a probe sends to cause a ban. */
export const failuresTried = 10;

/** The wrong passwords, all of the same length. */
export const wrongPasswords: readonly string[] = Array.from({ length: failuresTried }, (_, index) => `wrong${index}`);

const textBytes = (value: string): Buffer => Buffer.from(value, 'latin1');
const hexBytes = (value: string): Buffer => Buffer.from(value.replaceAll(' ', ''), 'hex');
const turn = (send: string, reply: string): Turn => ({ send: textBytes(send), reply: textBytes(reply) });
const turnOf = (send: Buffer, reply: Buffer): Turn => ({ send, reply });

/** A message of PostgreSQL: type, length, content. The length includes its own four bytes. */
function postgresMessage(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 4);
  return Buffer.concat([textBytes(type), length, content]);
}

/** A packet of MySQL: three bytes of length, a sequence number, the content. */
const mysqlPacket = (sequence: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([content.length & 255, content.length >> 8, 0, sequence]), content]);

const redisCommand = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

/** CONNECT of MQTT 3.1.1. */
function mqttConnect(user: string, password = 'guard-probe'): Buffer {
  const field = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), textBytes(value)]);
  const content = Buffer.concat([
    hexBytes('0004 4d515454 04 c2 003c'),
    field('guard-probe'),
    field(user),
    field(password),
  ]);
  return Buffer.concat([Buffer.from([0x10, content.length]), content]);
}

/** A simple bind of LDAP v3. */
function ldapBind(name: string, text = 'guard-probe'): Buffer {
  const dn = textBytes(name);
  const password = textBytes(text);
  const bind = Buffer.concat([
    hexBytes('020103 04'),
    Buffer.from([dn.length]),
    dn,
    Buffer.from([0x80, password.length]),
    password,
  ]);
  return Buffer.concat([Buffer.from([0x30, bind.length + 5]), hexBytes('020101 60'), Buffer.from([bind.length]), bind]);
}
const ldapResult = (code: number): Buffer =>
  Buffer.concat([hexBytes('300c 020101 6107 0a01'), Buffer.from([code]), hexBytes('0400 0400')]);

/** A MySQL login of protocol 4.1. Constant bytes replace the hash of the password. */
const mysqlLogin = mysqlPacket(
  1,
  Buffer.concat([
    hexBytes('0582 0a00 0000 0001 2d'),
    Buffer.alloc(23),
    textBytes('probe\0'),
    Buffer.from([20]),
    Buffer.alloc(20, 0xa5),
    textBytes('mysql_native_password\0'),
  ]),
);
const mysqlGreeting = mysqlPacket(
  0,
  Buffer.concat([
    hexBytes('0a'),
    textBytes('10.11.0-sandbox\0'),
    hexBytes('01000000'),
    textBytes('12345678\0'),
    hexBytes('fff7 2d 0200 0f80 15'),
    Buffer.alloc(10),
    textBytes('123456789012\0mysql_native_password\0'),
  ]),
);
const mysqlDenied = mysqlPacket(
  2,
  Buffer.concat([hexBytes('ff 1504'), textBytes("#28000Access denied for user 'probe'")]),
);

const postgresStart = ((): Buffer => {
  const content = Buffer.concat([hexBytes('00030000'), textBytes('user\0probe\0database\0probe\0\0')]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 4);
  return Buffer.concat([length, content]);
})();
const postgresDenied = postgresMessage('E', textBytes('SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0'));

/** Counts and question of a DNS message: the address of example.com. */
const dnsQuestion = hexBytes('0001 0000 0000 0000 07 6578616d706c65 03 636f6d 00 0001 0001');
const dnsMessage = (flags: string): Buffer =>
  Buffer.concat([Buffer.from([0, dnsQuestion.length + 4]), hexBytes(`abcd ${flags}`), dnsQuestion]);

/** A Minecraft handshake that requests the status of the server. */
const minecraftHandshake = hexBytes('10 00 ff05 09 6c6f63616c686f7374 63dd 01 01 00');
const minecraftStatus = Buffer.concat([hexBytes('15 00 13'), textBytes('{"version":{"a":1}}')]);

function mongoMessage(elements: Buffer): Buffer {
  const document = Buffer.concat([Buffer.alloc(4), elements, hexBytes('00')]);
  document.writeInt32LE(document.length);
  const message = Buffer.concat([Buffer.alloc(8), hexBytes('00000000 dd070000 00000000 00'), document]);
  message.writeInt32LE(message.length);
  return message;
}
const mongoHello = mongoMessage(
  Buffer.concat([
    hexBytes('10'),
    textBytes('hello\0'),
    hexBytes('01000000 02'),
    textBytes('$db\0'),
    hexBytes('06000000'),
    textBytes('admin\0'),
  ]),
);
const mongoOk = mongoMessage(Buffer.concat([hexBytes('01'), textBytes('ok\0'), hexBytes('000000000000f03f')]));

const base64Of = (text: string): string => textBytes(text).toString('base64');

function mongoLogin(password: string): Buffer {
  const payload = textBytes(`\0probe\0${password}`);
  return mongoMessage(
    Buffer.concat([
      ...[
        hexBytes('10'),
        textBytes('saslStart\0'),
        hexBytes('01000000 02'),
        textBytes('mechanism\0'),
        hexBytes('06000000'),
        textBytes('PLAIN\0'),
      ],
      ...[hexBytes('05'), textBytes('payload\0'), Buffer.from([payload.length, 0, 0, 0, 0]), payload],
      ...[hexBytes('02'), textBytes('$db\0'), hexBytes('06000000'), textBytes('admin\0')],
    ]),
  );
}
const mongoDenied = mongoMessage(
  Buffer.concat([
    hexBytes('01'),
    textBytes('ok\0'),
    Buffer.alloc(8),
    hexBytes('10'),
    textBytes('code\0'),
    hexBytes('12000000'),
  ]),
);

export const conversations: Readonly<Record<Protocol, Conversation>> = {
  generic: {},
  /** The probe adds the request line and the Host header. */
  http: {
    hello: [turn('\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    badLogin: (password) => [
      turn(
        `Authorization: Basic ${base64Of(`probe:${password}`)}\r\n\r\n`,
        'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n',
      ),
    ],
  },
  /** The probe makes a handshake with the backend. */
  tls: {},
  ssh: { greeting: textBytes('SSH-2.0-sandbox\r\n') },
  smtp: {
    greeting: textBytes('220 sandbox ESMTP\r\n'),
    hello: [turn('EHLO probe.example\r\n', '250-sandbox\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n')],
    badLogin: (password) => [
      turn('EHLO probe.example\r\n', '250-sandbox\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n'),
      turn(`AUTH PLAIN ${base64Of(`\0probe\0${password}`)}\r\n`, '535 5.7.8 Authentication failed\r\n'),
    ],
  },
  imap: {
    greeting: textBytes('* OK [CAPABILITY IMAP4rev1] sandbox\r\n'),
    hello: [turn('a1 NOOP\r\n', 'a1 OK done\r\n')],
    badLogin: (password) => [
      turn(`a2 LOGIN probe ${password}\r\n`, 'a2 NO [AUTHENTICATIONFAILED] Authentication failed.\r\n'),
    ],
  },
  pop3: {
    greeting: textBytes('+OK sandbox\r\n'),
    hello: [turn('CAPA\r\n', '+OK\r\nUSER\r\n.\r\n')],
    badLogin: (password) => [
      turn('USER probe\r\n', '+OK\r\n'),
      turn(`PASS ${password}\r\n`, '-ERR [AUTH] Authentication failed.\r\n'),
    ],
  },
  ftp: {
    greeting: textBytes('220 sandbox\r\n'),
    hello: [turn('FEAT\r\n', '211 End\r\n')],
    badLogin: (password) => [
      turn('USER probe\r\n', '331 Password.\r\n'),
      turn(`PASS ${password}\r\n`, '530 Login incorrect.\r\n'),
    ],
  },
  postgres: {
    hello: [turnOf(postgresStart, postgresMessage('R', hexBytes('00000003')))],
    badLogin: (password) => [
      turnOf(postgresStart, postgresMessage('R', hexBytes('00000003'))),
      turnOf(postgresMessage('p', textBytes(`${password}\0`)), postgresDenied),
    ],
  },
  mysql: { greeting: mysqlGreeting, badLogin: () => [turnOf(mysqlLogin, mysqlDenied)] },
  redis: {
    hello: [turn(redisCommand('PING'), '+PONG\r\n')],
    badLogin: (password) => [
      turn(redisCommand('AUTH', password), '-WRONGPASS invalid username-password pair or user is disabled.\r\n'),
    ],
  },
  mongodb: {
    hello: [turnOf(mongoHello, mongoOk)],
    badLogin: (password) => [turnOf(mongoLogin(password), mongoDenied)],
  },
  mqtt: {
    hello: [turnOf(mqttConnect('right'), hexBytes('20020000'))],
    badLogin: (password) => [turnOf(mqttConnect('wrong', password), hexBytes('20020005'))],
  },
  ldap: {
    hello: [turnOf(ldapBind('cn=right'), ldapResult(0))],
    badLogin: (password) => [turnOf(ldapBind('cn=wrong', password), ldapResult(49))],
  },
  vnc: {
    greeting: textBytes('RFB 003.008\n'),
    hello: [turnOf(textBytes('RFB 003.008\n'), hexBytes('0102'))],
    badLogin: () => [
      turnOf(textBytes('RFB 003.008\n'), hexBytes('0102')),
      turnOf(hexBytes('02'), Buffer.alloc(16, 0x5a)),
      turnOf(Buffer.alloc(16, 0xc3), Buffer.concat([hexBytes('00000001 00000006'), textBytes('denied')])),
    ],
  },
  rdp: { hello: [turnOf(hexBytes('0300000b 06e00000000000'), hexBytes('0300000b 06d00000123400'))] },
  dns: { hello: [turnOf(dnsMessage('0100'), dnsMessage('8183'))] },
  minecraft: { hello: [turnOf(minecraftHandshake, minecraftStatus)] },
};
