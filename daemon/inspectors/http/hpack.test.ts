/** Compares the decoder with the encoder of Node's HTTP/2. */
import assert from 'node:assert/strict';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Headers } from '../../../engine/index.ts';
import { LineReader } from '../framing/lines.ts';
import { FrameReader } from './frames.ts';
import { HeaderDecoder } from './hpack.ts';

const preface = 24;
const { http2HeadBytes } = daemonBounds;
const mostStreams = 100; // until a server has allowed more

/** Sends requests with these headers. Returns them as decoded from the bytes of the client. */
async function decoded(requests: readonly IncomingHttpHeaders[]): Promise<(Headers | undefined)[]> {
  const sent: Buffer[] = [];
  const duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      sent.push(chunk);
      done();
    },
  });
  const session = connect('http://a.example', { createConnection: () => duplex });
  for (const headers of requests) {
    session.request(headers).on('error', () => {});
    await new Promise(setImmediate);
  }
  session.destroy();
  const decoder = new HeaderDecoder(() => {}, http2HeadBytes);
  const blocks: (Headers | undefined)[] = [];
  const reader = new LineReader({ line: () => {}, fault: assert.fail }, 0);
  const nothing = () => {};
  const headers = (block: Buffer) => void blocks.push(decoder.decode(block));
  const handlers = { headers, streamEnd: nothing, reset: nothing, fault: assert.fail, hold: nothing };
  new FrameReader(reader, handlers, http2HeadBytes).start();
  reader.feed(Buffer.concat(sent).subarray(preface));
  return blocks;
}

async function check(requests: readonly IncomingHttpHeaders[]): Promise<void> {
  const blocks = await decoded(requests);
  assert.deepEqual(
    blocks.map((headers) => headers?.filter(([name]) => name.startsWith('x-'))),
    requests.map((headers) => Object.entries(headers)),
  );
}

test('decodes each byte that a value can have, in the Huffman code', async () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => byte === 9 || (byte > 31 && byte !== 127),
  );
  const requests = bytes.map((byte) => ({ 'x-value': `${'a'.repeat(64)}${String.fromCharCode(byte)}a` }));
  for (let from = 0; from < requests.length; from += mostStreams) await check(requests.slice(from, from + mostStreams));
});

test('follows the table of the encoder while it evicts and repeats entries', async () => {
  const requests = Array.from({ length: mostStreams }, (_, index) => ({
    [`x-${index % 7}`]: `value-${index % 11}`.repeat(1 + (index % 5) * 20),
    'x-repeated': 'the same',
  }));
  await check(requests);
});
