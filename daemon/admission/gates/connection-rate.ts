/** Limits new connections of one client to one service with a token bucket. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { createBuckets } from './bucket.ts';
import type { Gate } from './gate.ts';

export function rateGate(now: () => number): Gate {
  const buckets = createBuckets(daemonBounds.rateKeys, now);
  return {
    refuses: ({ client, service }) => {
      const limit = service.config.rate_limit;
      if (!limit) return undefined;
      const rate = { perMinute: limit.connections_per_minute, burst: limit.burst };
      return buckets.consume(`${service.name} ${client.key}`, rate) ? undefined : 'rate_limit';
    },
    table: buckets.stats,
  };
}
