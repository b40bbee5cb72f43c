/** How many requests are answered: token buckets of a connection, and of all connections of who asks. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { createBuckets } from '../admission/gates/bucket.ts';
import { ApiFailure } from './failure.ts';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** One bucket; `now` in milliseconds. Each call takes a token; false: there is none. */
export function bucket({ perSecond, burst }: Rate, now: () => number): () => boolean {
  const buckets = createBuckets(1, now);
  return () => buckets.take('', { perMinute: perSecond * 60, burst });
}

/**
 * A check for each request, of its connection and of `who` asks: those who are refused anyway must not use up what those
 * who may ask have, nor each other's. `now` in milliseconds, of a clock that nobody sets. @throws ApiFailure too_many_requests
 */
export function createRates(
  { connection, total: { perSecond, burst } }: { readonly connection: Rate; readonly total: Rate },
  now: () => number,
): (socket: Socket, who: string) => void {
  const connections = new WeakMap<Socket, () => boolean>();
  const totals = createBuckets(daemonBounds.apiClients, now);
  return (socket, who) => {
    let take = connections.get(socket);
    if (!take) {
      take = bucket(connection, now);
      connections.set(socket, take);
    }
    if (!take() || !totals.take(who, { perMinute: perSecond * 60, burst }))
      throw new ApiFailure('too_many_requests', undefined, { headers: { 'Retry-After': '1', Connection: 'close' } });
  };
}
