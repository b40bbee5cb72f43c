/** HTTP/2 connections whose bodies are incomplete or violate the rules for frames (RFC 9113). */
import type { Random } from './random.ts';
import type { BrokenRequest, Ending } from './shapes.ts';

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const types = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, goAway: 7, windowUpdate: 8, continuation: 9 };
const endStream = 1;
const endHeaders = 4;
const paddedFlag = 8;

/** Encodes a number as Latin-1 text. */
const bigEndian = (value: number, bytes: number): string =>
  Array.from({ length: bytes }, (_, index) =>
    String.fromCharCode((value / 2 ** (8 * (bytes - 1 - index))) & 0xff),
  ).join('');

function frame(type: keyof typeof types, flags: number, stream: number, payload = '', length = payload.length): string {
  return bigEndian(length, 3) + bigEndian(types[type], 1) + bigEndian(flags, 1) + bigEndian(stream, 4) + payload;
}

/** Encodes a header for HPACK without the dynamic table (RFC 7541 6.2.2). */
const header = (name: string, value: string): string =>
  `\0${bigEndian(name.length, 1)}${name}${bigEndian(value.length, 1)}${value}`;

const settings = frame('settings', 0, 0);

const data = (flags: number, payload: string, length?: number): string => frame('data', flags, 1, payload, length);

/** Frames after the headers of stream 1, which announce a Content-Length of 100. */
const bodies: Readonly<Record<string, (random: Random) => string>> = {
  'fewer bytes than announced': () => data(endStream, 'f=abc'),
  'more bytes than announced': () => data(0, 'f='.padEnd(90, 'x')) + data(endStream, 'x'.repeat(90)),
  'no bytes': () => data(endStream, ''),
  'padding longer than the frame': () => data(paddedFlag | endStream, '\xfff=abc'),
  'a reset behind a part': (random) => data(0, 'f=abc') + frame('reset', 0, 1, bigEndian(random.integer(14), 4)),
  'a frame that breaks off': (random) => data(0, 'f=a', 90).slice(0, 3 + random.integer(9)),
  'a part and nothing more': () => data(0, 'f=abc'),
  'trailers that end nothing': () => data(0, 'f=abc') + frame('headers', endHeaders, 1, header('x', 'y')),
  'trailers with a pseudo-header': () =>
    data(0, 'f=abc') + frame('headers', endHeaders | endStream, 1, header(':path', '/x')),
  'headers that go on behind data': () => data(0, 'f=abc') + frame('continuation', endHeaders, 1, header('x', 'y')),
  'data of no stream': () => frame('data', 0, 0, 'f=abc'),
  'data of another stream': () => frame('data', endStream, 9, 'f=abc'),
  'data behind the end': () => data(endStream, 'f='.padEnd(100, 'x')) + data(endStream, 'x'),
  'a window that overflows': () => data(0, 'f=') + frame('windowUpdate', 0, 1, bigEndian(0x7fffffff, 4)).repeat(2),
  'a stream that depends on itself': () => data(0, 'f=') + frame('priority', 0, 1, `${bigEndian(1, 4)}\x10`),
  'an early goodbye': () => data(0, 'f=abc') + frame('goAway', 0, 0, bigEndian(0, 8)),
  'a frame that is too long': () => data(0, 'f=', 0xffffff),
  'bytes of no kind': (random) => data(0, 'f=') + random.text(9 + random.integer(90)),
};

export const frameShapes = Object.keys(bodies);

const endings: readonly Ending[] = ['end', 'leave', 'reset'];

export function brokenFrames(
  name: string,
  type: string,
  policy: string,
  target: string,
  random: Random,
): BrokenRequest {
  const head = [
    header(':method', 'POST') + header(':scheme', 'http') + header(':path', target) + header(':authority', 'x.test'),
    header('content-type', type) + header('x-policy', policy) + header('content-length', '100'),
  ].join('');
  const opening = preface + settings + frame('headers', endHeaders, 1, head);
  const body = (bodies[name] as (random: Random) => string)(random);
  return { bytes: opening + body, ending: random.pick(endings) };
}
