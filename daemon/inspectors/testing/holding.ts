/** Bytes with which a client makes an inspector hold as much as possible. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Protocol } from '../../../contract/daemon/protocols.ts';
import type { Side } from '../inspector.ts';

const { commandsInFlight, httpHeadLines, inspectorPendingBytes } = daemonBounds;

export type Steps = readonly (readonly [Side, string | Buffer])[];

const more = commandsInFlight - 2;
const long = 'x'.repeat(600);
const name = (index: number) => `${String(index).padStart(6, '0')}${'N'.repeat(20)}`;
const many = (text: (index: number) => string) => Array.from({ length: more }, (_, index) => text(index)).join('');
/** A line without an end on each side. */
const unfinished: Steps = (['client', 'server'] as const).map((side) => [side, 'y'.repeat(inspectorPendingBytes)]);

/** An LDAP bind with this message number and a name of 900 bytes. */
function bind(index: number): Buffer {
  const id = [0x02, 2, index >> 8, index & 255];
  const dn = Buffer.alloc(900, 'd');
  const content = Buffer.concat([
    Buffer.from([0x02, 1, 3, 0x04, 0x82, dn.length >> 8, dn.length & 255]),
    dn,
    Buffer.from([0x80, 1, 0x61]),
  ]);
  const operation = Buffer.concat([Buffer.from([0x60, 0x82, content.length >> 8, content.length & 255]), content]);
  const length = operation.length + id.length;
  return Buffer.concat([Buffer.from([0x30, 0x82, length >> 8, length & 255, ...id]), operation]);
}

/** A MongoDB login (OP_MSG) with this request number and names of 600 bytes. */
function saslStart(index: number): Buffer {
  const text = (key: string, value: string) => {
    const head = Buffer.alloc(4);
    head.writeInt32LE(value.length + 1);
    return Buffer.concat([Buffer.from(`\x02${key}\0`), head, Buffer.from(`${value}\0`)]);
  };
  const fields = Buffer.concat([
    text('saslStart', '1'),
    text('mechanism', long),
    text('user', long),
    text('$db', long),
  ]);
  const document = Buffer.concat([Buffer.alloc(4), fields, Buffer.alloc(1)]);
  document.writeInt32LE(document.length);
  const message = Buffer.concat([Buffer.alloc(21), document]);
  message.writeInt32LE(message.length);
  message.writeInt32LE(index, 4);
  message.writeInt32LE(2013, 12);
  return message;
}

/** HTTP/2 with a table of 65,536 bytes that is full of short headers, and an unfinished header block. */
function headerTable(): Buffer {
  const frame = (type: number, flags: number, block: Buffer) => {
    const head = Buffer.from([0, 0, 0, type, flags, 0, 0, 0, type === 4 ? 0 : 1]);
    head.writeUIntBE(block.length, 0, 3);
    return Buffer.concat([head, block]);
  };
  const size = Buffer.from([0x3f, 0xe1, 0xff, 0x03]);
  const headers = Buffer.from('\x40\x01a\x01b'.repeat(200), 'latin1');
  const full = Array.from({ length: 10 }, (_, index) =>
    frame(1, 4, index === 0 ? Buffer.concat([size, headers]) : headers),
  );
  const start = [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, Buffer.alloc(0))];
  return Buffer.concat([...start, ...full, frame(1, 0, Buffer.alloc(60_000))]);
}

const all = (make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: more }, (_, index) => make(index + 1)));

/** Commands that wait for their replies, in long lines whose start is kept. */
const attacks: readonly (readonly [Protocol, string, Steps])[] = [
  ['smtp', 'verbs', [['client', `EHLO ${long}\r\n${many((index) => `${name(index)} ${long}\r\n`)}`], ...unfinished]],
  ['smtp', 'long verbs', [['client', many(() => `${long}\r\n`)], ...unfinished]],
  ['ftp', 'verbs', [['client', many((index) => `${name(index)} ${'x'.repeat(400)}\r\n`)], ...unfinished]],
  ['pop3', 'users', [['client', many((index) => `USER ${name(index)} ${long}\r\nPASS ${long}\r\n`)], ...unfinished]],
  ['imap', 'tags', [['client', many((index) => `${name(index)} LOGIN ${name(index)} ${long}\r\n`)], ...unfinished]],
  ['imap', 'long tags', [['client', many((index) => `${name(index)}${long} LOGIN a b\r\n`)], ...unfinished]],
  [
    'http',
    'users',
    [
      [
        'client',
        many(
          (index) => `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Digest username="${name(index)}", ${long}\r\n\r\n`,
        ),
      ],
      ...unfinished,
    ],
  ],
  ['http', 'header lines', [['client', `GET / HTTP/1.1\r\n${`${name(0)}${name(0)}\r\n`.repeat(httpHeadLines - 1)}`]]],
  ['http', 'header table', [['client', headerTable()]]],
  ['redis', 'users', [['client', many((index) => `AUTH ${name(index)}${long} x\r\n`)], ...unfinished]],
  ['redis', 'bytes behind a login', [['client', `AUTH a x\r\n${'PING\r\n'.repeat(11_000)}`]]],
  ['ldap', 'users', [['client', all(bind)]]],
  ['mongodb', 'users', [['client', all(saslStart)]]],
  ['generic', 'nothing', unfinished],
];

/** Protocols whose unfinished first message or line is buffered. Their inspectors get the bytes `unfinished`. */
const unfinishedFirsts: readonly Protocol[] = [
  ...(['dns', 'tls', 'ssh', 'mqtt', 'mysql', 'postgres', 'minecraft', 'rdp', 'vnc'] as const),
  ...(['http', 'smtp', 'imap', 'pop3', 'redis'] as const),
];

export interface HoldingAttack {
  readonly protocol: Protocol;
  readonly what: string;
  readonly steps: Steps;
}

export const holdingAttacks: readonly HoldingAttack[] = [
  ...attacks.map(([protocol, what, steps]) => ({ protocol, what, steps })),
  ...unfinishedFirsts.map((protocol) => ({ protocol, what: 'an endless message', steps: unfinished })),
];

/** The bytes of the client in an attack. */
export const clientBytes = ({ steps }: HoldingAttack): Buffer =>
  Buffer.concat(steps.flatMap(([side, bytes]) => (side === 'client' ? [Buffer.from(bytes as string)] : [])));
