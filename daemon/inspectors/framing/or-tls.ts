/**
 * TLS from the first byte on, in a protocol that clients can also use in clear text. A server without TLS may interpret
 * the handshake as messages. So only one ClientHello is relayed before the server's answer decides.
 */

import { opaque, violation } from './events.ts';
import { type Channel, type Handlers, hasFirst, type MessageHandler, passAll, type Sides } from './messages.ts';
import { parseClientHello } from './tls-hello.ts';
import { HelloRecords, isHelloAnswer, isHelloDecided, majorVersion, recordTypes } from './tls-records.ts';

/** Whether the first bytes of a client start a TLS handshake (RFC 8446 5.1). There is at least one byte. */
type BeginsTls = (bytes: Buffer, at: number, end: number) => boolean;

export interface TlsStart {
  /** Default: a handshake starts with the byte 22. */
  readonly beginsTls?: BeginsTls;
  /** Receives the bytes of the hello before they are relayed. A part ends at a line end or with the chunk. */
  readonly checkHello?: (part: Buffer) => void;
}

const lineFeed = 0x0a;

const beginsHandshake: BeginsTls = (bytes, at) => bytes[at] === recordTypes.handshake;

/** The bytes up to the line end. The hello is checked by line, so the first fault does not depend on the chunks. */
function lineOf(bytes: Buffer, at: number, end: number): Buffer {
  const found = bytes.indexOf(lineFeed, at);
  return bytes.subarray(at, found < 0 ? end : Math.min(end, found + 1));
}

function createHello({ emit, hold }: Channel, { checkHello }: TlsStart): MessageHandler {
  const records = new HelloRecords();
  let isWhole = false;
  const size: MessageHandler['size'] = (bytes, at, end) => {
    if (isWhole) {
      emit(violation('clear_bytes_behind_hello'));
      return -1;
    }
    const part = checkHello ? lineOf(bytes, at, end) : bytes.subarray(at, end);
    hold(-records.heldBytes);
    const outcome = records.feed(part);
    hold(records.heldBytes);
    if (outcome.kind === 'fault') return -1;
    isWhole = outcome.kind === 'hello';
    if (outcome.kind === 'hello' && !parseClientHello(outcome.body)) return -1;
    const length = outcome.kind === 'hello' ? outcome.length : part.length;
    checkHello?.(part.subarray(0, length));
    return length;
  };
  return { ...passAll, size };
}

/** A handler of the server's first bytes after the client has started TLS. `why`: how the client started it. */
export const createAnswer = ({ emit }: Pick<Channel, 'emit'>, why: string): MessageHandler => ({
  ...passAll,
  size: (bytes, at, end) => {
    if (end - at === 1 && isHelloAnswer(bytes[at], majorVersion)) return 0;
    if (isHelloAnswer(bytes[at], bytes[at + 1])) emit(opaque(why));
    return -1;
  },
});

/** The handlers of both sides of a connection. They use `clear`, unless the client starts with TLS. */
export function orTls(channel: Channel, clear: Sides, start: TlsStart = {}): Handlers {
  const { beginsTls = beginsHandshake } = start;
  let tls: Sides | undefined;
  let isDecided = false;
  const sizeOfClient: MessageHandler['size'] = (bytes, at, end) => {
    if (!isDecided && beginsTls(bytes, at, end))
      tls = { client: createHello(channel, start), server: createAnswer(channel, 'tls') };
    const size = (tls ?? clear).client.size(bytes, at, end);
    isDecided ||= size !== 0;
    return size;
  };
  const handler = (side: keyof Sides, size: MessageHandler['size']): MessageHandler => ({
    size,
    bytesToRead: (bytes, at, whole, end) => (tls ?? clear)[side].bytesToRead(bytes, at, whole, end),
    read: clear[side].read,
    pass: () => (tls ?? clear)[side].pass?.(),
  });
  return {
    client: handler('client', sizeOfClient),
    server: handler('server', (bytes, at, end) => (tls ?? clear).server.size(bytes, at, end)),
    awaitsTls: () => tls !== undefined,
  };
}

/** Like `hasFirst`, but waits for a whole ClientHello: its start could continue as messages in clear text. */
export function hasFirstOrHello(size: MessageHandler['size'], beginsTls = beginsHandshake) {
  const hasMessage = hasFirst(size);
  return (first: Uint8Array): boolean => {
    const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    return beginsTls(bytes, 0, bytes.length) ? isHelloDecided(first) : hasMessage(first);
  };
}
