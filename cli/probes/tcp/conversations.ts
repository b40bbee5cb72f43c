/**
 * The start of a conversation in each protocol. The probes play the client. The backend of a sandbox replies from the
 * same table.
 */
import type { Protocol } from '../../../contract/daemon/protocols.ts';

export interface Turn {
  readonly send: Buffer;
  readonly reply: Buffer;
}

export interface Conversation {
  /** First bytes of the server. */
  readonly greeting?: Buffer;
  /** Turns that every client may send. Absent: the protocol has no turn with a reply. */
  readonly hello?: readonly Turn[];
  /** A failed login that the last reply of the server shows in plain text. */
  readonly badLogin?: readonly Turn[];
}

const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const hex = (value: string): Buffer => Buffer.from(value.replaceAll(' ', ''), 'hex');
const turn = (send: string, reply: string): Turn => ({ send: text(send), reply: text(reply) });
const turnOf = (send: Buffer, reply: Buffer): Turn => ({ send, reply });

/** A PostgreSQL message: type, length of length field and content, content. */
function postgres(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 4);
  return Buffer.concat([text(type), length, content]);
}

/** A MySQL packet: three bytes of length, its number, content. */
const mysql = (sequence: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([content.length & 255, content.length >> 8, 0, sequence]), content]);

const command = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

/** CONNECT of MQTT 3.1.1 with a user name and a password. */
function mqttConnect(user: string): Buffer {
  const field = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), text(value)]);
  const content = Buffer.concat([
    hex('0004 4d515454 04 c2 003c'),
    field('guard-probe'),
    field(user),
    field('guard-probe'),
  ]);
  return Buffer.concat([Buffer.from([0x10, content.length]), content]);
}

/** A simple bind of LDAP v3 and its response with a result code. */
function ldapBind(name: string): Buffer {
  const dn = text(name);
  const password = text('guard-probe');
  const bind = Buffer.concat([
    hex('020103 04'),
    Buffer.from([dn.length]),
    dn,
    Buffer.from([0x80, password.length]),
    password,
  ]);
  return Buffer.concat([Buffer.from([0x30, bind.length + 5]), hex('020101 60'), Buffer.from([bind.length]), bind]);
}
const ldapResult = (code: number): Buffer =>
  Buffer.concat([hex('300c 020101 6107 0a01'), Buffer.from([code]), hex('0400 0400')]);

/** The client packet of a MySQL login: protocol 4.1, with the password hashed with the salt of the server. */
const mysqlLogin = mysql(
  1,
  Buffer.concat([
    hex('0582 0a00 0000 0001 2d'),
    Buffer.alloc(23),
    text('probe\0'),
    Buffer.from([20]),
    Buffer.alloc(20, 0xa5),
    text('mysql_native_password\0'),
  ]),
);
const mysqlGreeting = mysql(
  0,
  Buffer.concat([
    hex('0a'),
    text('10.11.0-sandbox\0'),
    hex('01000000'),
    text('12345678\0'),
    hex('fff7 2d 0200 0f80 15'),
    Buffer.alloc(10),
    text('123456789012\0mysql_native_password\0'),
  ]),
);
const mysqlDenied = mysql(2, Buffer.concat([hex('ff 1504'), text("#28000Access denied for user 'probe'")]));

const postgresStart = ((): Buffer => {
  const content = Buffer.concat([hex('00030000'), text('user\0probe\0database\0probe\0\0')]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 4);
  return Buffer.concat([length, content]);
})();
const postgresDenied = postgres('E', text('SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0'));

/** A DNS query for the address of example.com over TCP, and a response without addresses. */
const dnsQuestion = hex('0001 0000 0000 0000 07 6578616d706c65 03 636f6d 00 0001 0001');
const dns = (flags: string): Buffer =>
  Buffer.concat([Buffer.from([0, dnsQuestion.length + 4]), hex(`abcd ${flags}`), dnsQuestion]);

/** A Minecraft handshake that requests the status, and a status. */
const minecraftHandshake = hex('10 00 ff05 09 6c6f63616c686f7374 63dd 01 01 00');
const minecraftStatus = Buffer.concat([hex('15 00 13'), text('{"version":{"a":1}}')]);

/** A MongoDB message with one document. */
function mongo(elements: Buffer): Buffer {
  const document = Buffer.concat([Buffer.alloc(4), elements, hex('00')]);
  document.writeInt32LE(document.length);
  const message = Buffer.concat([Buffer.alloc(8), hex('00000000 dd070000 00000000 00'), document]);
  message.writeInt32LE(message.length);
  return message;
}
const mongoHello = mongo(
  Buffer.concat([hex('10'), text('hello\0'), hex('01000000 02'), text('$db\0'), hex('06000000'), text('admin\0')]),
);
const mongoOk = mongo(Buffer.concat([hex('01'), text('ok\0'), hex('000000000000f03f')]));

const mongoLogin = mongo(
  Buffer.concat([
    ...[hex('10'), text('saslStart\0'), hex('01000000 02'), text('mechanism\0'), hex('06000000'), text('PLAIN\0')],
    ...[hex('05'), text('payload\0'), hex('0c000000 00'), text('\0probe\0wrong')],
    ...[hex('02'), text('$db\0'), hex('06000000'), text('admin\0')],
  ]),
);
const mongoDenied = mongo(
  Buffer.concat([hex('01'), text('ok\0'), Buffer.alloc(8), hex('10'), text('code\0'), hex('12000000')]),
);

export const conversations: Readonly<Record<Protocol, Conversation>> = {
  generic: {},
  /** Parts of HTTP requests. The probe adds a Host that the service allows. */
  http: {
    hello: [turn('\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    badLogin: [
      turn('Authorization: Basic cHJvYmU6d3Jvbmc=\r\n\r\n', 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'),
    ],
  },
  /** No entry: the probe builds the handshake with a name that the service allows, and the backend echoes it. */
  tls: {},
  ssh: { greeting: text('SSH-2.0-sandbox\r\n') },
  smtp: {
    greeting: text('220 sandbox ESMTP\r\n'),
    hello: [turn('EHLO probe.example\r\n', '250-sandbox\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n')],
    badLogin: [
      turn('EHLO probe.example\r\n', '250-sandbox\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n'),
      turn('AUTH PLAIN AHByb2JlAHdyb25n\r\n', '535 5.7.8 Authentication failed\r\n'),
    ],
  },
  imap: {
    greeting: text('* OK [CAPABILITY IMAP4rev1] sandbox\r\n'),
    hello: [turn('a1 NOOP\r\n', 'a1 OK done\r\n')],
    badLogin: [turn('a2 LOGIN probe wrong\r\n', 'a2 NO [AUTHENTICATIONFAILED] Authentication failed.\r\n')],
  },
  pop3: {
    greeting: text('+OK sandbox\r\n'),
    hello: [turn('CAPA\r\n', '+OK\r\nUSER\r\n.\r\n')],
    badLogin: [turn('USER probe\r\n', '+OK\r\n'), turn('PASS wrong\r\n', '-ERR [AUTH] Authentication failed.\r\n')],
  },
  ftp: {
    greeting: text('220 sandbox\r\n'),
    hello: [turn('FEAT\r\n', '211 End\r\n')],
    badLogin: [turn('USER probe\r\n', '331 Password.\r\n'), turn('PASS wrong\r\n', '530 Login incorrect.\r\n')],
  },
  postgres: {
    hello: [turnOf(postgresStart, postgres('R', hex('00000003')))],
    badLogin: [
      turnOf(postgresStart, postgres('R', hex('00000003'))),
      turnOf(postgres('p', text('wrong\0')), postgresDenied),
    ],
  },
  mysql: { greeting: mysqlGreeting, badLogin: [turnOf(mysqlLogin, mysqlDenied)] },
  redis: {
    hello: [turn(command('PING'), '+PONG\r\n')],
    badLogin: [turn(command('AUTH', 'wrong'), '-WRONGPASS invalid username-password pair or user is disabled.\r\n')],
  },
  mongodb: { hello: [turnOf(mongoHello, mongoOk)], badLogin: [turnOf(mongoLogin, mongoDenied)] },
  mqtt: {
    hello: [turnOf(mqttConnect('right'), hex('20020000'))],
    badLogin: [turnOf(mqttConnect('wrong'), hex('20020005'))],
  },
  ldap: {
    hello: [turnOf(ldapBind('cn=right'), ldapResult(0))],
    badLogin: [turnOf(ldapBind('cn=wrong'), ldapResult(49))],
  },
  vnc: {
    greeting: text('RFB 003.008\n'),
    hello: [turnOf(text('RFB 003.008\n'), hex('0102'))],
    badLogin: [
      turnOf(text('RFB 003.008\n'), hex('0102')),
      turnOf(hex('02'), Buffer.alloc(16, 0x5a)),
      turnOf(Buffer.alloc(16, 0xc3), Buffer.concat([hex('00000001 00000006'), text('denied')])),
    ],
  },
  rdp: { hello: [turnOf(hex('0300000b 06e00000000000'), hex('0300000b 06d00000123400'))] },
  dns: { hello: [turnOf(dns('0100'), dns('8183'))] },
  minecraft: { hello: [turnOf(minecraftHandshake, minecraftStatus)] },
};
