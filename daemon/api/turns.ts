/**
 * Serves the requests of one connection one after the other: their effects keep their order, and a client that sends
 * requests without reading makes the daemon buffer one response only. Slow requests of all connections have turns too.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiFailure } from './failure.ts';

interface Line {
  waiting: number;
  /** Resolves when the last response has been sent. */
  last: Promise<void>;
}

const taken = (response: ServerResponse): Promise<void> => new Promise((resolve) => response.once('close', resolve));

/** Returns the wait for each request. At most `most` requests of a connection wait. @throws ApiFailure too_many_requests */
export function createTurns(most: number): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const lines = new WeakMap<Socket, Line>();
  return ({ socket }, response) => {
    const line = lines.get(socket) ?? { waiting: 0, last: Promise.resolve() };
    lines.set(socket, line);
    if (line.waiting >= most)
      throw new ApiFailure('too_many_requests', 'too many requests wait on this connection', {
        headers: { 'Retry-After': '1', Connection: 'close' },
      });
    const before = line.last;
    line.waiting += 1;
    line.last = taken(response).then(() => {
      line.waiting -= 1;
    });
    return before;
  };
}

/** Returns a wait that ends for one caller in each turn of the event loop, in their order: connections are served in between. */
export function createPace(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => nextTurn());
    return last;
  };
}
