/**
 * Receives the text messages of a WebSocket. The WebSocket of Node holds messages of 128 MiB, and keeps the process running
 * until the server has closed the connection.
 */
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Receiving {
  readonly signal: AbortSignal;
  /** Of a message. A larger one ends the connection. */
  readonly mostBytes: number;
  /** For the server to accept the connection. */
  readonly timeoutMs: number;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
}

interface Opened {
  readonly socket: Duplex;
  /** What came with the response. */
  readonly head: Buffer;
}

/** Undefined: the server refuses, or does not respond. */
function open(url: URL, { signal, timeoutMs }: Receiving): Promise<Opened | undefined> {
  const key = randomBytes(16).toString('base64');
  const names = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const headers = { ...names, 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': key };
  return new Promise((resolve) => {
    const request = get(url, { headers, signal, timeout: timeoutMs });
    request.on('upgrade', (_, socket, head) => {
      socket.setTimeout(0);
      resolve({ socket, head });
    });
    request.on('response', () => request.destroy());
    request.on('timeout', () => request.destroy());
    request.on('error', () => {});
    request.on('close', () => resolve(undefined));
  });
}

/** Returns exactly as many bytes as wanted; undefined at the end. */
function takerOf({ socket, head }: Opened): (count: number) => Promise<Buffer | undefined> {
  const chunks: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  let held = [head];
  let bytes = head.length;
  return async (count) => {
    while (bytes < count) {
      const { done, value } = await chunks.next();
      if (done) return undefined;
      held.push(value);
      bytes += value.length;
    }
    const all = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
    held = [all.subarray(count)];
    bytes -= count;
    return all.subarray(0, count);
  };
}

const [final, masked, lengthBits, opcodeBits] = [0x80, 0x80, 0x7f, 0x0f];
const opcodes = { close: 8, ping: 9, pong: 10 } as const;
/** Without payload, and with a mask of zeros. */
const pong = Buffer.from([final | opcodes.pong, masked, 0, 0, 0, 0]);

/** The texts of messages, until the connection ends. */
async function* textsOf(opened: Opened, mostBytes: number): AsyncGenerator<string, void, void> {
  const take = takerOf(opened);
  let parts: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const [first = 0, second = masked] = (await take(2)) ?? [];
    const short = second & lengthBits;
    const long = short < 126 ? undefined : await take(short === 126 ? 2 : 8);
    const length = long ? Number(long.length === 2 ? long.readUInt16BE() : long.readBigUInt64BE()) : short;
    const opcode = first & opcodeBits;
    if (second & masked || opcode === opcodes.close || bytes + length > mostBytes) return;
    const payload = await take(length);
    if (!payload) return;
    if (opcode === opcodes.ping && !opened.socket.writableNeedDrain) opened.socket.write(pong);
    if (opcode >= opcodes.close) continue;
    if (length > 0) parts.push(payload);
    bytes += length;
    if (!(first & final)) continue;
    yield Buffer.concat(parts).toString('utf8');
    parts = [];
    bytes = 0;
  }
}

/** Ends with the connection, or with `signal`, which closes it. */
export async function receive(url: URL, receiving: Receiving): Promise<void> {
  const { signal, mostBytes, onOpen, onText } = receiving;
  const opened = await open(url, receiving);
  if (!opened) return;
  const { socket } = opened;
  const end = () => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  try {
    if (signal.aborted) return;
    onOpen();
    for await (const text of textsOf(opened, mostBytes)) {
      if (signal.aborted) return;
      onText(text);
    }
  } catch {
    // The connection broke.
  } finally {
    signal.removeEventListener('abort', end);
    socket.destroy();
  }
}
