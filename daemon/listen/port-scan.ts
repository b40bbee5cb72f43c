/**
 * A trap for port scans: it listens on ports that have no service, resets each connection, and records it as a probe.
 * Too many probes of one address count as a scan.
 */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { type Endpoint, parseListen } from '../../contract/values/endpoint.ts';
import type { Peer } from '../address/client.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import { connectionRecorder } from '../admission/recorder.ts';
import type { Audit } from '../audit/event.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import type { WantedListener } from './listeners.ts';

export interface ProbeSinks {
  readonly failures: FailureTracker;
  readonly audit: Audit;
  /** Counts probes without the address of a client, such as those of `nmap -sT`, which resets immediately. */
  readonly unattributed: { count: number };
}

/** The canonical text of an address. An address that cannot be parsed stays unchanged. */
function canonicalAddress(ip: string): string {
  const prefix = readPrefix(ip);
  return prefix ? formatPrefix(prefix) : ip;
}

/** Records and counts a probe. `peer`: undefined when the address of the client is not known. */
export type OnProbe = (peer: Peer | undefined) => void;

/** The listeners of the trap. When one of its ports cannot be bound, the daemon serves without it. */
export function portScanTraps<Arrived>(
  { port_scan }: Daemon,
  { failures, audit, unattributed }: ProbeSinks,
  accept: (probe: OnProbe) => (arrived: Arrived) => void,
): WantedListener<Arrived>[] {
  const { listen, threshold, window } = port_scan;
  const windowMs = parseDuration(window) ?? 0;
  const record = connectionRecorder({ write: audit.record, countryOf: () => '', now: Date.now });

  const probe: OnProbe = (peer) => {
    if (!peer) {
      unattributed.count += 1;
      return;
    }
    const ip = canonicalAddress(peer.ip);
    record({ name: 'port_scan', config: { protocol: 'tcp' } }, { ip, port: peer.port }, 'blocked', 'port_scan');
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
