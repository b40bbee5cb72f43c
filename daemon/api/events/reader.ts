/**
 * A reader is a position in the ring: only its socket buffers data. It is disconnected when the ring has dropped an
 * event that was not yet written to the socket.
 */
import type { ServerResponse } from 'node:http';
import type { AuditEvent } from '../../audit/event.ts';
import type { Ring } from './ring.ts';

export interface Reader {
  /** Writes events until the socket buffer is full. */
  readonly pump: () => void;
  /** Keeps the connection open in proxies. Skips a slow reader, so that its socket times out. */
  readonly beat: () => void;
  /** When the socket buffer became full, milliseconds of `performance.now()`. Infinity while it is not full. */
  readonly stalledAt: () => number;
}

interface ReaderOptions {
  readonly response: ServerResponse;
  readonly ring: Ring;
  /** The number of the first event to send. */
  readonly from: number;
  readonly isWanted: (event: AuditEvent) => boolean;
}

export function createReader({ response, ring, from, isWanted }: ReaderOptions): Reader {
  let next = from;
  let isFull = false;
  let stalledAt = Number.POSITIVE_INFINITY;
  const write = (data: Buffer | string) => {
    isFull = !response.write(data);
    if (isFull) stalledAt = performance.now();
  };
  const pump = () => {
    if (next < ring.oldest()) response.destroy();
    for (; !isFull && next < ring.next() && !response.destroyed; next += 1) {
      const event = ring.at(next);
      if (event && isWanted(event)) write(ring.frame(next));
    }
  };
  response.on('drain', () => {
    isFull = false;
    stalledAt = Number.POSITIVE_INFINITY;
    pump();
  });
  const beat = () => {
    if (!isFull) write(':\n\n');
  };
  return { pump, beat, stalledAt: () => stalledAt };
}
