import { connect } from 'node:net';
import type { BrokenRequest } from './shapes.ts';

const patienceMs = 10_000;

/** Types of frames that respond on a stream, reset it or end the connection (RFC 9113 6). */
const responseFrames = [1, 3, 7];

/**
 * Reports whether a response arrived, or a frame that resets the stream or ends the connection. 100 Continue and the
 * settings of HTTP/2 do not count.
 */
function isAnswer(received: string): boolean {
  if (received.startsWith('HTTP/')) return /^HTTP\/1\.1 (?!100)|\r\n\r\nHTTP/.test(received);
  for (let at = 0; at + 9 <= received.length; ) {
    if (responseFrames.includes(received.charCodeAt(at + 3))) return true;
    at += 9 + Buffer.from(received.slice(at, at + 3), 'latin1').readUIntBE(0, 3);
  }
  return false;
}

/** Returns the bytes received until `isAnswer`, or until the connection ends. The text is empty when there are none. */
export const send = (port: number, { bytes, ending }: BrokenRequest): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on('error', () => {}).on('close', () => resolve(answer));
    socket.on('data', (part) => {
      answer += part.toString('latin1');
      if (isAnswer(answer)) socket.destroy();
    });
    socket.on('end', () => socket.destroy());
    socket.write(Buffer.from(bytes, 'latin1'), () => {
      if (ending === 'end') socket.end();
      else if (ending === 'leave') socket.destroy();
      else if (ending === 'reset') socket.resetAndDestroy();
    });
  });
