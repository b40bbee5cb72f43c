/** A name server that resolves every name to 127.0.0.1. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

const questionAt = 12; // after the header (RFC 1035 4.1.1)
const responseFlags = 0x8180; // a response to a recursive query, without error
const answerRecord = Buffer.from('c00c000100010000003c00047f000001', 'hex'); // the requested name, A, IN, 60 s, 127.0.0.1

export async function startNames(t: TestContext): Promise<number> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, questionAt) + 5; // zero label, type and class
    const header = Buffer.from(query.subarray(0, questionAt));
    for (const [offset, value] of [
      [2, responseFlags],
      [4, 1],
      [6, 1],
      [8, 0],
      [10, 0],
    ] as const)
      header.writeUInt16BE(value, offset);
    socket.send(Buffer.concat([header, query.subarray(questionAt, end), answerRecord]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return socket.address().port;
}
