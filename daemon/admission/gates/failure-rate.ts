/** Limits new connections of a client with failed logins, so that it cannot try many passwords before it is banned. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Client } from '../../address/client.ts';
import { Lifts } from '../../bans/lifts.ts';
import { createBuckets } from './bucket.ts';
import type { Gate } from './gate.ts';

export interface FailureRateGate extends Gate {
  readonly failed: (client: Client) => void;
  /** Whether the client has failed within `windowMs` and was not unbanned since. */
  readonly isFailing: (client: Client, windowMs: number) => boolean;
  /** The keys of clients with a failed login, oldest first. Some failures may be too old to count. */
  readonly failing: () => Iterable<string>;
  /**
   * Call it after a manual unban of the address or network `ip`. Its earlier failures no longer limit new connections.
   */
  readonly lifted: (ip: string) => void;
}

export function failureRateGate(now: () => number): FailureRateGate {
  const failedAt = new Map<string, number>();
  const lifts = new Lifts();
  const buckets = createBuckets(daemonBounds.rateKeys, now);
  const failed = ({ key }: Client) => {
    failedAt.delete(key); // `set` then adds the key at the end, so that the first key is the oldest
    const oldest = failedAt.size >= daemonBounds.rateKeys ? failedAt.keys().next().value : undefined;
    if (oldest !== undefined) failedAt.delete(oldest);
    failedAt.set(key, now());
  };
  /** Forgets the failure of a client when it no longer counts. */
  const dropOldFailure = ({ key, ip }: Client, windowMs: number) => {
    const at = failedAt.get(key);
    if (at === undefined) return;
    const isLifted = at <= (lifts.lastLiftOf(ip, now()) ?? Number.NEGATIVE_INFINITY);
    if (!isLifted && now() - at < windowMs) return;
    if (isLifted) buckets.reset(key);
    failedAt.delete(key);
  };
  const isFailing = (client: Client, windowMs: number) => {
    dropOldFailure(client, windowMs);
    return failedAt.has(client.key);
  };
  return {
    refuses: ({ client, service, rules }) => {
      if (!service.limitsFailing || !isFailing(client, rules.failureWindowMs)) return undefined;
      return buckets.consume(client.key, daemonBounds.failureRate) ? undefined : 'failure_rate';
    },
    table: () => ({ entries: failedAt.size, capacity: daemonBounds.rateKeys }),
    failed,
    isFailing,
    failing: () => failedAt.keys(),
    lifted: (ip) => lifts.add(ip, now()),
  };
}
