import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Side } from '../../daemon/inspectors/inspector.ts';
import { readVectors } from '../../daemon/inspectors/testing/vector-files.ts';
import { type Piece, unsplitPieces } from '../../daemon/inspectors/testing/vectors.ts';
import { listen } from '../support/listen.ts';

/** Reads a conversation from `daemon/inspectors/vectors/<file>`. */
export function recordedPieces(file: string, description: string): Piece[] {
  const vectors = readVectors().find(({ name }) => name === file)?.vectors;
  const vector = vectors?.find((one) => one.description === description);
  if (!vector) throw new Error(`${file} has no conversation "${description}"`);
  return unsplitPieces(vector);
}

/**
 * Plays one side of a conversation: sends each of its pieces after the preceding pieces of the other side have arrived.
 * Then closes the connection.
 */
function playSide(socket: Socket, side: Side, pieces: readonly Piece[]): void {
  let [at, received] = [0, 0];
  const advance = (): void => {
    for (; at < pieces.length; at += 1) {
      const { from, bytes } = pieces[at] as Piece;
      if (from === side) socket.write(bytes);
      else if (received < bytes.length) return;
      else received -= bytes.length;
    }
    socket.end();
  };
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      received += chunk.length;
      advance();
    });
  advance();
}

/** Starts a server that plays the server's side of the conversation. */
export async function startRecorded(t: Pick<TestContext, 'after'>, pieces: readonly Piece[]): Promise<number> {
  const server = createServer((socket) => playSide(socket, 'server', pieces));
  return listen(t, server);
}

export async function playClient(port: number, localAddress: string, pieces: readonly Piece[]): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  playSide(socket, 'client', pieces);
  await new Promise((resolve) => socket.once('close', resolve));
}
