/** Closed ports that record probes. The connection ends at once, and too many probes of one address count as a scan. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { type Endpoint, parseListen } from '../../contract/values/endpoint.ts';
import type { Peer } from '../address/client.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import type { Audit } from '../audit/event.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import { timestampOf } from '../time/timestamp.ts';
import type { WantedListener } from './listeners.ts';

export interface ProbeSinks {
  readonly failures: FailureTracker;
  readonly audit: Audit;
  /** Counts probes without the address of a client. */
  readonly unattributed: { count: number };
}

/** An address that cannot be parsed stays unchanged. */
function canonicalAddress(ip: string): string {
  const prefix = readPrefix(ip);
  return prefix ? formatPrefix(prefix) : ip;
}

/** `peer`: undefined when the address of the client is not known. */
export type OnProbe = (peer: Peer | undefined) => void;

/** The listeners of the trap. The daemon serves without a port that cannot be bound. */
export function portScanTraps<Arrived>(
  { port_scan }: Daemon,
  { failures, audit, unattributed }: ProbeSinks,
  accept: (probe: OnProbe) => (arrived: Arrived) => void,
): WantedListener<Arrived>[] {
  const { listen, threshold, window } = port_scan;
  const windowMs = parseDuration(window) ?? 0;

  const probe: OnProbe = (peer) => {
    if (!peer) {
      unattributed.count += 1;
      return;
    }
    const ip = canonicalAddress(peer.ip);
    audit.record({
      type: 'security_event',
      timestamp: timestampOf(Date.now()),
      service: 'port_scan',
      protocol: 'tcp',
      client_ip: ip,
      client_port: peer.port,
      country_code: '',
      action: 'blocked',
      reason: 'port_scan',
      bytes_in: 0,
      bytes_out: 0,
      duration_ms: 0,
    });
    failures.fail({ ip, trigger: 'closed port', origin: 'port_scan', after: threshold, windowMs });
  };

  return listen.map((text, index) => ({
    name: `port_scan.listen[${index}]`,
    endpoint: parseListen(text) as Endpoint,
    accept: accept(probe),
    unattributed: () => probe(undefined),
    isOptional: true,
  }));
}
