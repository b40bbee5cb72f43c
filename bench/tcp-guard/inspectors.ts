/**
 * Measures the throughput of inspectors that inspect a whole connection. Other inspectors finish after the login or
 * handshake.
 */
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { type Piece, replay } from '../../daemon/inspectors/testing/vectors.ts';
import { median } from '../measure/measure.ts';
import type { Row } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';

const budget = 200;
const chunkBytes = 64 * 1024;
const bulkBytes = 64 * 1024 * 1024;
const rounds = 5;

type Said = readonly [from: Piece['from'], text: string];

interface Bulk {
  readonly protocol: Protocol;
  readonly what: string;
  readonly before: readonly Said[];
  readonly from: Piece['from'];
  readonly line: string;
}

const text = `${'x'.repeat(76)}\r\n`;

const bulks: readonly Bulk[] = [
  {
    protocol: 'http',
    what: 'a body by length',
    before: [['client', `POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: ${bulkBytes}\r\n\r\n`]],
    from: 'client',
    line: text,
  },
  {
    protocol: 'http',
    what: 'an answer in chunks',
    before: [
      ['client', 'GET /download HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['server', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ],
    from: 'server',
    line: `1000\r\n${'x'.repeat(4096)}\r\n`,
  },
  {
    protocol: 'redis',
    what: 'a value by length',
    before: [['client', `*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$${bulkBytes}\r\n`]],
    from: 'client',
    line: text,
  },
  {
    protocol: 'smtp',
    what: 'a mail of lines',
    before: [
      ['server', '220 a\r\n'],
      ['client', 'EHLO b\r\n'],
      ['server', '250 a\r\n'],
      ['client', 'MAIL FROM:<a@b.example>\r\n'],
      ['server', '250 ok\r\n'],
      ['client', 'RCPT TO:<c@d.example>\r\n'],
      ['server', '250 ok\r\n'],
      ['client', 'DATA\r\n'],
      ['server', '354 go\r\n'],
    ],
    from: 'client',
    line: text,
  },
  {
    protocol: 'pop3',
    what: 'a mail of lines',
    before: [
      ['server', '+OK\r\n'],
      ['client', 'RETR 1\r\n'],
      ['server', '+OK\r\n'],
    ],
    from: 'server',
    line: text,
  },
  {
    protocol: 'imap',
    what: 'a literal',
    before: [
      ['server', '* OK\r\n'],
      ['client', 'a FETCH 1 BODY[]\r\n'],
      ['server', `* 1 FETCH (BODY[] {${bulkBytes}}\r\n`],
    ],
    from: 'server',
    line: text,
  },
  {
    protocol: 'imap',
    what: 'a list of messages',
    before: [
      ['server', '* OK\r\n'],
      ['client', 'a FETCH 1:* (UID ENVELOPE)\r\n'],
    ],
    from: 'server',
    line: `* 1 FETCH (UID 12 ENVELOPE ("date" "${'x'.repeat(80)}"))\r\n`,
  },
];

function piecesOf({ before, from, line }: Bulk): Piece[] {
  const whole = Buffer.from(line.repeat(Math.ceil(bulkBytes / line.length))).subarray(0, bulkBytes);
  const chunks = Array.from({ length: bulkBytes / chunkBytes }, (_, index) => {
    return { from, bytes: whole.subarray(index * chunkBytes, (index + 1) * chunkBytes) };
  });
  return [...before.map(([side, said]) => ({ from: side, bytes: Buffer.from(said) })), ...chunks];
}

/** Returns megabytes per second of processor time. */
async function throughput(bulk: Bulk): Promise<number> {
  const pieces = piecesOf(bulk);
  const rate = () => {
    const start = process.cpuUsage();
    replay(bulk.protocol, {}, pieces);
    const { user, system } = process.cpuUsage(start);
    return bulkBytes / Math.max(user + system, 1);
  };
  const rates: number[] = [];
  while (rates.length < rounds) rates.push(await measureUndisturbed(rate));
  return median(rates);
}

export async function* benchInspectors(): AsyncGenerator<Row> {
  for (const bulk of bulks) {
    const rate = await throughput(bulk);
    yield {
      name: `inspector ${bulk.protocol}, ${bulk.what}`,
      measured: `${rate.toFixed(0)} MB/s`,
      budget: `>= ${budget} MB/s`,
      holds: rate >= budget,
    };
  }
}
