/**
 * Requests of one connection run one by one: a client that does not read makes the daemon buffer only one response.
 * Slow requests of all connections run one by one, too.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooManyRequests } from './failure.ts';

interface Line {
  waiting: number;
  /** Resolves when the last response was sent, or its connection was closed. */
  last: Promise<void>;
}

const untilSent = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once('close', resolve));

/**
 * Returns a function that each request awaits. At most `most` requests of a connection are in progress or wait.
 * @throws ApiFailure too_many_requests
 */
export function createTurns(most: number): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const lines = new WeakMap<Socket, Line>();
  return ({ socket }, response) => {
    const line = lines.get(socket) ?? { waiting: 0, last: Promise.resolve() };
    lines.set(socket, line);
    if (line.waiting >= most) throw tooManyRequests('too many requests wait on this connection');
    const before = line.last;
    line.waiting += 1;
    line.last = untilSent(response).then(() => {
      line.waiting -= 1;
    });
    return before;
  };
}

/** Returns a function to await. Each turn of the event loop continues one caller, in the order of the calls. */
export function createPace(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => nextTurn());
    return last;
  };
}
