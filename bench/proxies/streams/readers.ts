/** Clients that read endless responses, in a separate process. */
import { connect } from 'node:net';
import process from 'node:process';

export interface Reading {
  readonly port: number;
  readonly readers: number;
  readonly seconds: number;
}

export interface Read {
  /** Number of readers that received no byte. */
  readonly unanswered: number;
  /** Number of readers whose response was not 200. */
  readonly refused: number;
  readonly bytes: number;
}

interface Reader {
  head: string;
  bytes: number;
}

/**
 * Starts a reader that reads as fast as it can. Each reader has a different source address, because the guard counts
 * clients by address.
 */
function read(port: number, index: number): { reader: Reader; end: () => void } {
  const reader: Reader = { head: '', bytes: 0 };
  const localAddress = `127.0.${1 + (index >> 8)}.${index & 255}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).write('GET /.env HTTP/1.1\r\nHost: bench\r\n\r\n');
  socket.on('data', (chunk: Buffer) => {
    if (reader.bytes === 0) reader.head = chunk.toString('latin1', 0, 12);
    reader.bytes += chunk.length;
  });
  return { reader, end: () => void socket.destroy() };
}

async function run({ port, readers, seconds }: Reading): Promise<Read> {
  const all = Array.from({ length: readers }, (_, index) => read(port, index));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  for (const { end } of all) end();
  const results = all.map(({ reader }) => reader);
  return {
    unanswered: results.filter(({ bytes }) => bytes === 0).length,
    refused: results.filter(({ bytes, head }) => bytes > 0 && head !== 'HTTP/1.1 200').length,
    bytes: results.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

process.on('message', async (reading: Reading) => process.send?.(await run(reading)));
