/** Summarizes equal refusals of one client, so that a flood of connections does not become a flood of records. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { clientOfPeer } from '../address/client.ts';
import type { AuditEvent } from './event.ts';

interface Sum {
  last: AuditEvent;
  seen: number;
}

export interface FloodGuard {
  readonly take: (event: AuditEvent) => void;
  /** Passes the summaries on. */
  readonly flush: () => void;
  readonly close: () => void;
}

/** The client as limits count it: a client with an IPv6 /64 can use a different address each time. */
const clientKey = (ip: string): string => (ip.includes(':') ? clientOfPeer({ ip, port: 0 }).key : ip);
const keyOf = ({ service, client_ip, reason }: AuditEvent): string => `${service} ${clientKey(client_ip)} ${reason}`;

/** Passes the first records of each interval. The others become one record with a count when the interval ends. Only refusals are summarized. */
export function createFloodGuard(pass: (event: AuditEvent) => void): FloodGuard {
  const sums = new Map<string, Sum>();
  const flush = () => {
    for (const { last, seen } of sums.values()) {
      const count = seen - daemonBounds.auditFloodFirst;
      if (count > 0) pass(count === 1 ? last : { ...last, count });
    }
    sums.clear();
  };
  const take = (event: AuditEvent) => {
    const key = keyOf(event);
    const sum = sums.get(key);
    if (sum) {
      sum.seen++;
      sum.last = event;
      if (sum.seen <= daemonBounds.auditFloodFirst) pass(event);
      return;
    }
    if (sums.size < daemonBounds.auditFloodKeys) sums.set(key, { last: event, seen: 1 });
    pass(event);
  };
  const timer = setInterval(flush, daemonBounds.auditFloodMs).unref();
  return {
    take: (event) => (event.action === 'blocked' ? take(event) : pass(event)),
    flush,
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}
