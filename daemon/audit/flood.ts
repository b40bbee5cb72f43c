/** Summarizes equal refusals of one client, so that a flood of connections does not become a flood of records. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { clientOfPeer } from '../address/client.ts';
import type { AuditEvent } from './event.ts';

interface Sum {
  /** The number of records that were passed on. */
  passed: number;
  /** The number of events that were not passed on. `last` is the last of them. */
  held: number;
  last: AuditEvent;
}

export interface FloodGuard {
  readonly add: (event: AuditEvent) => void;
  /** Passes on a summary of the events that were not passed on. */
  readonly flush: () => void;
  readonly close: () => void;
}

/** The key of a client: an IPv4 address, or the /64 of an IPv6 address, because one client may use all of it. */
const clientKey = (ip: string): string => (ip.includes(':') ? clientOfPeer({ ip, port: 0 }).key : ip);
const keyOf = ({ service, client_ip, reason }: AuditEvent): string => `${service} ${clientKey(client_ip)} ${reason}`;

/**
 * Passes the first records of each interval on. The others become one record with a count when the interval ends. Only
 * refusals are summarized.
 */
export function createFloodGuard(pass: (event: AuditEvent) => void): FloodGuard {
  const sums = new Map<string, Sum>();
  const flush = () => {
    for (const { held, last } of sums.values()) if (held > 0) pass(held === 1 ? last : { ...last, count: held });
    sums.clear();
  };
  const addRefusal = (event: AuditEvent) => {
    const key = keyOf(event);
    const sum = sums.get(key);
    if (sum && sum.passed === daemonBounds.auditFloodFirst) {
      sum.held += event.count ?? 1;
      sum.last = event;
      return;
    }
    if (sum) sum.passed++;
    else if (sums.size < daemonBounds.auditFloodKeys) sums.set(key, { passed: 1, held: 0, last: event });
    pass(event);
  };
  const timer = setInterval(flush, daemonBounds.auditFloodMs).unref();
  return {
    add: (event) => (event.action === 'blocked' ? addRefusal(event) : pass(event)),
    flush,
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}
