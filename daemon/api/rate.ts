/** Token buckets for each connection and for each client. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { createBuckets } from '../admission/gates/bucket.ts';
import type { ApiBounds } from './bounds.ts';
import { ApiFailure } from './failure.ts';

/** Each call uses a token, and returns false without one. `now`: milliseconds. */
function createBucket({ perSecond, burst }: ApiBounds['apiTotalRate'], now: () => number): () => boolean {
  const buckets = createBuckets(1, now);
  return () => buckets.consume('', { perMinute: perSecond * 60, burst });
}

/**
 * `who`: the client. Refused clients do not use up the rate of others. `now`: milliseconds of a monotonic clock.
 * @throws ApiFailure too_many_requests
 */
export function createRates(
  { apiConnectionRate, apiTotalRate: { perSecond, burst } }: Pick<ApiBounds, 'apiConnectionRate' | 'apiTotalRate'>,
  now: () => number,
): (socket: Socket, who: string) => void {
  const connections = new WeakMap<Socket, () => boolean>();
  const totals = createBuckets(daemonBounds.apiClients, now);
  return (socket, who) => {
    let consume = connections.get(socket);
    if (!consume) {
      consume = createBucket(apiConnectionRate, now);
      connections.set(socket, consume);
    }
    if (!consume() || !totals.consume(who, { perMinute: perSecond * 60, burst }))
      throw new ApiFailure('too_many_requests', undefined, { headers: { 'Retry-After': '1', Connection: 'close' } });
  };
}
