/** How many requests are answered: token buckets of a connection and of all together. */
import type { Socket } from 'node:net';
import { ApiFailure } from './failure.ts';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** One bucket; `now` in milliseconds. Each call takes a token; false: there is none. */
export function bucket({ perSecond, burst }: Rate, now: () => number): () => boolean {
  const interval = 1000 / perSecond;
  let due = 0;
  return () => {
    const time = now();
    const at = Math.max(due, time);
    if (at - time > interval * (burst - 1)) return false;
    due = at + interval;
    return true;
  };
}

/** A check for each request, of its connection. @throws ApiFailure too_many_requests */
export function createRates(
  rates: { readonly connection: Rate; readonly total: Rate },
  now: () => number,
): (socket: Socket) => void {
  const connections = new WeakMap<Socket, () => boolean>();
  const takeTotal = bucket(rates.total, now);
  return (socket) => {
    let take = connections.get(socket);
    if (!take) {
      take = bucket(rates.connection, now);
      connections.set(socket, take);
    }
    if (!take() || !takeTotal())
      throw new ApiFailure('too_many_requests', undefined, { headers: { 'Retry-After': '1', Connection: 'close' } });
  };
}
