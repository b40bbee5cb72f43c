/**
 * One reader of the events: a place in the ring, and nothing of its own but what its socket holds. When the ring forgets
 * what it has not taken yet, it is dropped.
 */
import type { ServerResponse } from 'node:http';
import type { AuditEvent } from '../../audit/event.ts';
import type { Ring } from './ring.ts';

export interface Reader {
  /** Writes what there is and fits. */
  readonly pump: () => void;
  /** A comment, so that nobody takes the connection for dead; not for a reader that is slow, so that its socket times out. */
  readonly beat: () => void;
}

export interface ReaderOptions {
  readonly response: ServerResponse;
  readonly ring: Ring;
  /** Number of the first event. */
  readonly from: number;
  readonly isWanted: (event: AuditEvent) => boolean;
}

export function createReader({ response, ring, from, isWanted }: ReaderOptions): Reader {
  let next = from;
  let isFull = false;
  const write = (data: Buffer | string) => {
    isFull = !response.write(data);
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
    pump();
  });
  const beat = () => {
    if (!isFull) write(':\n\n');
  };
  return { pump, beat };
}
