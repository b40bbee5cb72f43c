/** Closed ports that only record who knocks: a connection is ended at once, and too many of one address are a scan. */
import type { Daemon } from '../contract/daemon.ts';
import { parseDuration } from '../contract/duration.ts';
import { type Endpoint, parseListen } from '../contract/endpoint.ts';
import type { Audit } from './audit/event.ts';
import { formatPrefix, readPrefix } from './bans/words.ts';
import type { FailureTracker } from './failures/tracker.ts';
import type { Connection, DataPlane, Listener } from './plane/plane.ts';

export interface PortScanOptions {
  readonly config: Daemon;
  readonly failures: FailureTracker;
  readonly audit: Audit;
  readonly plane: DataPlane;
}

export interface PortScan {
  /** Where knocks are heard; a port that could not be had is missing, and was a fault in the audit. */
  readonly endpoints: readonly Endpoint[];
  readonly close: () => Promise<void>;
}

/** Canonical text; what cannot be read is recorded as it is. */
function canonical(ip: string): string {
  const prefix = readPrefix(ip);
  return prefix ? formatPrefix(prefix) : ip;
}

export async function startPortScan({ config, failures, audit, plane }: PortScanOptions): Promise<PortScan> {
  const { listen, threshold, window } = config.port_scan;
  const windowMs = parseDuration(window) ?? 0;

  const knock = (connection: Connection) => {
    connection.end('reset');
    const { remote } = connection;
    const ip = canonical(remote.ip);
    audit.record({
      type: 'security_event',
      timestamp: new Date().toISOString(),
      service: 'port_scan',
      protocol: 'tcp',
      client_ip: ip,
      client_port: remote.port,
      country_code: '',
      action: 'blocked',
      reason: 'port_scan',
      bytes_in: 0,
      bytes_out: 0,
      duration_ms: 0,
    });
    failures.fail({ ip, trigger: 'closed port', origin: 'port_scan', after: threshold, windowMs });
  };

  const open = async (text: string): Promise<Listener | undefined> => {
    try {
      return await plane.listen(parseListen(text) as Endpoint, { accept: knock, fault: audit.fault });
    } catch (error) {
      audit.fault(`port_scan cannot listen on ${text}: ${(error as Error).message}`);
      return undefined;
    }
  };

  const opened = (await Promise.all(listen.map(open))).filter((listener) => listener !== undefined);
  return {
    endpoints: opened.map(({ endpoint }) => endpoint),
    close: async () => {
      await Promise.all(opened.map((listener) => listener.close()));
    },
  };
}
