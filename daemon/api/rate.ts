/** Limits the rate of requests with token buckets, one for each connection and one for each client. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { createBuckets } from '../admission/gates/bucket.ts';
import type { ApiBounds } from './bounds.ts';
import { tooManyRequests } from './failure.ts';

const perMinute = ({ perSecond, burst }: ApiBounds['apiTotalRate']) => ({ perMinute: perSecond * 60, burst });

/**
 * Returns a check for each request. `who` is the key of the client. Refused clients do not use up the rate of other
 * clients. `now` returns milliseconds of a monotonic clock.
 * @throws ApiFailure too_many_requests
 */
export function createRates(
  { apiConnectionRate, apiTotalRate }: Pick<ApiBounds, 'apiConnectionRate' | 'apiTotalRate'>,
  now: () => number,
): (socket: Socket, who: string) => void {
  const connections = new WeakMap<Socket, ReturnType<typeof createBuckets>>();
  const totals = createBuckets(daemonBounds.apiClients, now);
  return (socket, who) => {
    const ofConnection = connections.get(socket) ?? createBuckets(1, now);
    connections.set(socket, ofConnection);
    if (!ofConnection.consume('', perMinute(apiConnectionRate)) || !totals.consume(who, perMinute(apiTotalRate)))
      throw tooManyRequests();
  };
}
