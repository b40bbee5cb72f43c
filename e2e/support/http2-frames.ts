/** Frames of HTTP/2 (RFC 9113 4.1) with headers that no client sends, and a connection that sends them over cleartext. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';

export type Field = readonly [name: string, value: string];

const types = { data: 0, headers: 1, settings: 4, continuation: 9 } as const;
export const flags = { endStream: 1, endHeaders: 4, padded: 8 } as const;

/** The stream of the attack: the first one of a client. */
const stream = 1;

export function frame(type: keyof typeof types, flag: number, payload: Buffer, on: number = stream): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(types[type], 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(on, 5);
  return Buffer.concat([head, payload]);
}

/** An integer with a prefix of seven bits (RFC 7541 5.1). */
function lengthOf(text: Buffer): Buffer {
  if (text.length < 0x7f) return Buffer.of(text.length);
  const bytes = [0x7f];
  for (let rest = text.length - 0x7f; ; rest >>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) return Buffer.from(bytes);
  }
}

/** Encodes fields as literals without indexing (RFC 7541 6.2.2), so that any name and value can be sent. */
export const block = (fields: readonly Field[]): Buffer =>
  Buffer.concat(
    fields.flatMap((field) => [
      Buffer.of(0),
      ...field.flatMap((text) => [lengthOf(Buffer.from(text, 'latin1')), Buffer.from(text, 'latin1')]),
    ]),
  );

/** Pads a payload with as many NULs (RFC 9113 6.1). */
export const padded = (payload: Buffer, count: number): Buffer =>
  Buffer.concat([Buffer.of(count), payload, Buffer.alloc(count)]);

const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame('settings', 0, Buffer.alloc(0), 0),
  frame('settings', 1, Buffer.alloc(0), 0),
]);

/** True when the bytes of a server end the stream of the attack, or the connection (GOAWAY). */
function isDone(bytes: Buffer): boolean {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const [type, flag, on] = [bytes.readUInt8(at + 3), bytes.readUInt8(at + 4), bytes.readUInt32BE(at + 5)];
    const endsStream = on === stream && (type === 3 || (type <= 1 && (flag & flags.endStream) !== 0));
    if (endsStream || type === 7) return true;
  }
  return false;
}

/** Sends frames on a new connection. Resolves when the server has ended the stream or the connection. */
export async function sendFrames(t: TestContext, port: number, frames: readonly Buffer[]): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  t.after(() => socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let received = Buffer.alloc(0);
  const ended = new Promise<void>((resolve) =>
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      if (isDone(received)) resolve();
    }),
  );
  await Promise.race([once(socket, 'connect'), closed]);
  socket.write(Buffer.concat([preface, ...frames]));
  await Promise.race([ended, closed]);
  socket.destroy();
}
