/** Limits the rate of requests with token buckets, one for each connection and one for each client. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { createBuckets } from '../admission/gates/bucket.ts';
import type { ApiBounds } from './bounds.ts';
import { tooManyRequests } from './failure.ts';

const perMinute = ({ perSecond, burst }: ApiBounds['apiClientRate']) => ({ perMinute: perSecond * 60, burst });

/**
 * Returns a check for each request, which throws ApiFailure too_many_requests. A request above the rate of its
 * connection does not count for `clientKey`. `now` returns milliseconds of a monotonic clock.
 */
export function createRates(
  { apiConnectionRate, apiClientRate }: Pick<ApiBounds, 'apiConnectionRate' | 'apiClientRate'>,
  now: () => number,
): (socket: Socket, clientKey: string) => void {
  const connections = new WeakMap<Socket, ReturnType<typeof createBuckets>>();
  const clientBuckets = createBuckets(daemonBounds.apiClients, now);
  return (socket, clientKey) => {
    const connectionBuckets = connections.get(socket) ?? createBuckets(1, now);
    connections.set(socket, connectionBuckets);
    if (
      !connectionBuckets.consume('', perMinute(apiConnectionRate)) ||
      !clientBuckets.consume(clientKey, perMinute(apiClientRate))
    )
      throw tooManyRequests();
  };
}
