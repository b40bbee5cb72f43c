/** Summarizes equal refusals of one client, so that a flood of connections does not become a flood of records. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { clientOfPeer } from '../address/client.ts';
import type { AuditEvent } from './event.ts';

interface Sum {
  /** The number of records that were passed on. */
  passedCount: number;
  /** The number of events that were not passed on. `last` is the last of them. */
  summarizedCount: number;
  last: AuditEvent;
}

/** The key of a client. An IPv6 client counts as its /64, because it may use all of it. */
const clientKey = (ip: string): string => (ip.includes(':') ? clientOfPeer({ ip, port: 0 }).key : ip);
const keyOf = ({ service, client_ip, reason }: AuditEvent): string => `${service} ${clientKey(client_ip)} ${reason}`;

/**
 * Passes on the first equal refusals of a client in each interval. At the end of the interval, further equal refusals
 * become one record with a count. When `auditFloodSums` others are counted, passes on each refusal.
 */
export function createFloodGuard(pass: (event: AuditEvent) => void) {
  const sums = new Map<string, Sum>();
  const flush = () => {
    for (const { summarizedCount, last } of sums.values())
      if (summarizedCount > 0) pass(summarizedCount === 1 ? last : { ...last, count: summarizedCount });
    sums.clear();
  };
  const addRefusal = (event: AuditEvent) => {
    const key = keyOf(event);
    const sum = sums.get(key);
    if (sum && sum.passedCount === daemonBounds.auditFloodFirst) {
      sum.summarizedCount += event.count ?? 1;
      sum.last = event;
      return;
    }
    if (sum) sum.passedCount++;
    else if (sums.size < daemonBounds.auditFloodSums)
      sums.set(key, { passedCount: 1, summarizedCount: 0, last: event });
    pass(event);
  };
  const timer = setInterval(flush, daemonBounds.auditFloodMs).unref();
  return {
    add: (event: AuditEvent) => (event.action === 'blocked' ? addRefusal(event) : pass(event)),
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}
