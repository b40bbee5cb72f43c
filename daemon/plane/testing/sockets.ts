import type { Socket } from 'node:net';

export interface Received {
  readonly bytes: Buffer;
  /** `reset`: the connection was reset, or closed before the other end had finished sending. */
  readonly how: 'end' | 'reset';
}

/** Reads until the other end finishes sending or resets. Also works on a paused socket. */
export function received(socket: Socket): Promise<Received> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const settle = (how: Received['how']) => resolve({ bytes: Buffer.concat(chunks), how });
    if (socket.closed) settle('reset');
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => settle('end'));
    socket.on('error', () => settle('reset')).on('close', () => settle('reset'));
    socket.resume();
  });
}
