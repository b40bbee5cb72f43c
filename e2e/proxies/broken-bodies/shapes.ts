/** HTTP/1 requests with bodies of three kinds: ended early, refused by every parser, and read differently by parsers. */
import type { Random } from './random.ts';

/** The action of the client after its last byte. */
export type Ending = 'wait' | 'end' | 'leave' | 'reset';

export interface BrokenRequest {
  /** The bytes of the request in Latin-1. */
  readonly bytes: string;
  readonly ending: Ending;
}

interface Shape {
  readonly headers: readonly string[];
  readonly body: string;
  readonly ending?: Ending;
  readonly version?: '1.0';
  /** True when every parser refuses the body: with 400, unless the verdict came before the body. */
  readonly isRefused?: true;
}

const chunked = ['Transfer-Encoding: chunked'];
const length = (value: number | string): readonly string[] => [`Content-Length: ${value}`];
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const field = (random: Random): string => `f=${random.text(1 + random.integer(40)).replace(/[&%+]/g, 'x')}`;

const sizes = ['zz', '', '-1', '+5', '0x5', '5 5', ' 5', '5\t', 'fffffffffffffffff', 'g', '\0', '\xff', '5,5', '1e3'];
const trailers = ['bad', ': x', 'a b: c', 'A: \0', ' folded: x', 'Content-Length: 5', `X: ${'x'.repeat(20_000)}`];
const codings = ['chunked, chunked', 'gzip, chunked', 'chunked, gzip', 'identity', 'chunkedx', ' chunked\t', ','];
const lengths = ['5, 6', '-5', '+5', '0x5', '', '5 ', '99999999999999999999', '1.5'];
const unfinishedEndings: readonly Ending[] = ['end', 'leave', 'reset'];

export const shapes: Readonly<Record<string, (random: Random) => Shape>> = {
  'a size that is not a number': (random) => ({ headers: chunked, body: `zz\r\n${random.text(3)}`, isRefused: true }),
  'a bad size': (random) => ({
    headers: chunked,
    body: `${random.pick(sizes)}\r\n`,
    ending: random.pick(unfinishedEndings),
  }),
  'a bad size behind a chunk': (random) => ({
    headers: chunked,
    body: `${chunk(field(random))}${random.pick(['zz', 'g', '-1', '\xff'])}\r\n`,
    isRefused: true,
  }),
  'lines that end with a bare LF': (random) => ({
    headers: chunked,
    body: chunk(field(random)).replaceAll('\r\n', '\n') + random.pick(['0\n\n', 'zz\n', '']),
    ending: random.pick(unfinishedEndings),
  }),
  'a chunk longer than its size': (random) => ({
    headers: chunked,
    body: `2\r\n${field(random)}xx\r\n0\r\n\r\n`,
    isRefused: true,
  }),
  'a chunk without its end': (random) => ({
    headers: chunked,
    body: chunk(field(random).repeat(9)).slice(0, 4 + random.integer(8)),
    ending: random.pick(unfinishedEndings),
  }),
  'long chunk extensions': (random) => ({
    headers: chunked,
    body: `5;${'x'.repeat(random.integer(9000))}\r\nf=abc\r\n${random.pick(['zz\r\n', '0\r\n\r\n'])}`,
    ending: 'end',
  }),
  'chunks of one byte with much around them': (random) => ({
    headers: chunked,
    body: `1;${'x'.repeat(200 + random.integer(100))}\r\nf\r\n`.repeat(150),
    ending: 'end',
  }),
  'a bad trailer': (random) => ({
    headers: [...chunked, 'Trailer: X'],
    body: `${chunk(field(random))}0\r\n${random.pick(trailers)}\r\n\r\n`,
    ending: 'end',
  }),
  'a body shorter than its length': (random) => ({
    headers: length(100 + random.integer(1e6)),
    body: field(random),
    ending: random.pick(unfinishedEndings),
  }),
  'a body longer than its length': (random) => ({ headers: length(2), body: field(random) + random.text(90) }),
  'a length that is not one': (random) => ({
    headers: length(random.pick(lengths)),
    body: field(random),
    ending: 'end',
  }),
  'two lengths': (random) => ({ headers: [...length(3), ...length(random.integer(9))], body: 'f=a', ending: 'end' }),
  'a length and chunks': (random) => ({
    headers: [...length(3), ...chunked],
    body: `${chunk(field(random))}zz\r\n`,
    ending: 'end',
  }),
  'an unknown transfer coding': (random) => ({
    headers: [`Transfer-Encoding: ${random.pick(codings)}`],
    body: `${chunk(field(random))}zz\r\n`,
    ending: 'end',
  }),
  'chunks of HTTP/1.0': () => ({ headers: chunked, body: 'zz\r\n', version: '1.0', ending: 'end' }),
  'a client that waits to be asked': (random) => ({
    headers: [...chunked, 'Expect: 100-continue'],
    body: random.pick(['zz\r\n', '5\r\nf=abc\r\nzz\r\n', '']),
    ending: random.pick(unfinishedEndings),
  }),
  'a second request behind the error': (random) => ({
    headers: chunked,
    body: `${chunk(field(random))}zz\r\nGET /.env HTTP/1.1\r\nHost: x.test\r\n\r\n`,
    ending: 'end',
  }),
  'a body that stops beyond what is inspected': (random) => ({
    headers: chunked,
    body: `${chunk(`f=${'x'.repeat(2000)}`).repeat(1 + random.integer(40))}zz\r\n`,
    ending: random.pick(unfinishedEndings),
  }),
  'bytes of no kind': (random) => ({ headers: chunked, body: random.text(1 + random.integer(300)), ending: 'end' }),
};

export const types = [
  'application/x-www-form-urlencoded',
  'application/json',
  'multipart/form-data; boundary=b',
  'application/octet-stream',
];

export function brokenRequest(shape: Shape, type: string, policy: string, target: string): BrokenRequest {
  const head = [
    `POST ${target} HTTP/${shape.version ?? '1.1'}`,
    'Host: x.test',
    `X-Policy: ${policy}`,
    `Content-Type: ${type}`,
    ...shape.headers,
  ];
  return { bytes: `${head.join('\r\n')}\r\n\r\n${shape.body}`, ending: shape.ending ?? 'wait' };
}
