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

/** The key of a client. An IPv6 client counts as its /64, because it may use all of it. */
const clientKey = (ip: string): string => (ip.includes(':') ? clientOfPeer({ ip, port: 0 }).key : ip);
const keyOf = ({ service, client_ip, reason }: AuditEvent): string => `${service} ${clientKey(client_ip)} ${reason}`;

/**
 * Passes on the first equal refusals of a client in each interval. At the end of the interval, further equal refusals
 * become one record with a count.
 */
export function createFloodGuard(pass: (event: AuditEvent) => void) {
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
    add: (event: AuditEvent) => (event.action === 'blocked' ? addRefusal(event) : pass(event)),
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}
