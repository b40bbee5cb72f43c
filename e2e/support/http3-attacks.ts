/**
 * Attacks over HTTP/3 (RFC 9114) in forms that only raw bytes of a request stream have. What a proxy may make of them is
 * that of `http2-attacks.ts`.
 */
import type { TestContext } from 'node:test';
import { startStreams } from '../proxies/http-versions/client.ts';
import { checkEach, fields, get, hidden, post, type RecordingBackend } from './http2-attacks.ts';
import type { Field } from './http2-frames.ts';

const types = { data: 0, headers: 1, settings: 4, push: 5, ofHttp2: 8, unknown: 0x21 } as const;

/** An integer of QUIC (RFC 9000 16), in four bytes. */
function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value + 0x8000_0000);
  return bytes;
}

const frame = (type: keyof typeof types, payload: Buffer | string, length = Buffer.from(payload).length): Buffer =>
  Buffer.concat([Buffer.of(types[type]), integer(length), Buffer.from(payload)]);

/** A text with a length whose first byte has `bits` bits of it (RFC 9204 4.1.1), behind the bits in `first`. */
function text(first: number, bits: number, value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const most = 2 ** bits - 1;
  if (bytes.length < most) return Buffer.concat([Buffer.of(first + bytes.length), bytes]);
  const length = [first + most];
  for (let rest = bytes.length - most; ; rest >>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) return Buffer.concat([Buffer.from(length), bytes]);
  }
}

const noTable = Buffer.of(0, 0); // the prefix of a block that does not use the dynamic table (RFC 9204 4.5.1)

const lines = (list: readonly Field[]): Buffer =>
  Buffer.concat(list.flatMap(([name, value]) => [text(0x20, 3, name), text(0, 7, value)]));

/** Lines of any name and value, as literals (RFC 9204 4.5.6). */
const headers = (list: readonly Field[]): Buffer => frame('headers', Buffer.concat([noTable, lines(list)]));
/** A block with the lines of a request for `/ok` behind its first bytes. */
const begun = (...bytes: number[]): Buffer =>
  frame('headers', Buffer.concat([noTable, Buffer.from(bytes), lines(get('/ok'))]));

const attack = headers(get('/.env'));
const whole = attack.subarray(5); // behind the type and the length
const many = (count: number, size: number): Field[] =>
  Array.from({ length: count }, (_, index) => [`x-${index}`, 'v'.repeat(size)]);

/** `/.env` in the Huffman code (RFC 7541 appendix B). */
const huffmanPath = Buffer.of(0x84, 0x61, 0x72, 0xd5, 0xdf);
const nameOfPath = 0x51; // a literal value with the name of entry 1 of the static table (RFC 9204 4.5.4)

const framed: Readonly<Record<string, readonly Buffer[]>> = {
  'a path in the Huffman code': [
    frame('headers', Buffer.concat([noTable, lines(get('').slice(0, 3)), Buffer.of(nameOfPath), huffmanPath])),
  ],
  'a path in the Huffman code with bad padding': [begun(nameOfPath, 0x81, 0x60)],
  'the path of the static table, and another one': [begun(0xc1)],
  'an entry of the dynamic table': [frame('headers', Buffer.concat([Buffer.of(2, 0, 0x80), lines(get('/.env'))]))],
  'an unknown entry of the static table': [begun(0xff, 0x7f)],
  'an endless number': [begun(...Array<number>(16).fill(0xff))],
  'a text beyond the block': [frame('headers', Buffer.concat([noTable, lines(get('/ok')), Buffer.of(0x27, 0x7f)]))],
  'unknown frames': [frame('unknown', hidden), attack, frame('unknown', hidden)],
  'a frame of HTTP/2': [frame('ofHttp2', 'abcd'), attack],
  'content before the headers': [frame('data', hidden), attack],
  'settings on the stream of a request': [frame('settings', ''), attack],
  'a push of the client': [frame('push', whole), attack],
  'headers longer than the stream': [frame('headers', whole, whole.length + 1)],
  'headers shorter than their frame': [frame('headers', whole, whole.length - 1)],
  'headers in two frames': [
    frame('headers', whole.subarray(0, 10)),
    frame('headers', Buffer.concat([noTable, whole.subarray(10)])),
  ],
  'a path in trailers': [headers([...get('/ok'), ['te', 'trailers']]), headers([[':path', '/.env']])],
  'a header in trailers': [
    headers([...post, ['trailer', 'x-original-url']]),
    frame('data', 'a=b'),
    headers([['x-original-url', '/.env']]),
  ],
  'a request behind trailers': [headers(post), frame('data', 'a=b'), headers([['x-sum', '1']]), attack],
  'a body of one byte a frame': [headers(post), ...[...'file=../.env'].map((byte) => frame('data', byte))],
  'a body with unknown frames': [
    headers(post),
    frame('data', 'file=../'),
    frame('unknown', '&'),
    frame('data', '.env'),
  ],
  'a request in a body that has no length': [headers([...post, ['content-length', '0']]), frame('data', hidden)],
  'a request behind a chunked body': [
    headers([...post, ['transfer-encoding', 'chunked']]),
    frame('data', `0\r\n\r\n${hidden}`),
  ],
  'a request behind two lengths': [
    headers([...post, ['content-length', '3'], ['content-length', '99']]),
    frame('data', `a=b${hidden}`),
  ],
  'a request in a CONNECT': [headers(fields['a CONNECT'] as Field[]), frame('data', hidden)],
  'a request in an extended CONNECT': [headers(fields['an extended CONNECT'] as Field[]), frame('data', hidden)],
  'a header of a megabyte': [headers([...many(1, 2 ** 20), ...get('/.env')])],
  'a path behind a megabyte of headers': [
    headers([...get('/.env').slice(0, 3), ...many(128, 8192), [':path', '/.env']]),
  ],
  'ten thousand headers': [headers([...get('/.env'), ...many(10_000, 1)])],
};

const attacks: Readonly<Record<string, readonly Buffer[]>> = {
  ...Object.fromEntries(Object.entries(fields).map(([name, list]) => [name, [headers(list)]])),
  ...framed,
};

/** Sends each attack to a proxy that serves HTTP/3 on a port, and an honest request after it. */
export async function checkHttp3Attacks(t: TestContext, port: number, backend: RecordingBackend): Promise<void> {
  const send = await startStreams(t);
  await checkEach(t, backend, attacks, [headers(get('/after'))], (_t, frames) => send(port, Buffer.concat(frames)));
}
