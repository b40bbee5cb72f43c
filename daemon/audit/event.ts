/** The audit record: one JSON line for each event, and the data of a server-sent event. */

export type AuditAction = 'allowed' | 'auth_failure' | 'blocked' | 'banned' | 'unbanned';

export interface AuditEvent {
  readonly type: 'security_event';
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  readonly service: string;
  readonly protocol: string;
  readonly client_ip: string;
  readonly client_port: number;
  /** ISO 3166-1 alpha-2; empty: unknown. */
  readonly country_code: string;
  readonly action: AuditAction;
  /** Reason code, such as `ban`, `rate_limit`, `ip_filter`, `geo`, `port_scan`. */
  readonly reason: string;
  readonly confidence?: 'probable';
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly duration_ms: number;
  /** The number of equal events that this one summarizes in a flood. */
  readonly count?: number;
  /** At level debug: the facts of the inspector, escaped. */
  readonly facts?: Readonly<Record<string, string>>;
}

export interface Audit {
  /** Never waits and never throws. Counts records that cannot be written. */
  readonly record: (event: AuditEvent) => void;
  /** Records an internal error of the daemon, at level error. */
  readonly fault: (message: string) => void;
  /** Opens the file again, for log rotation. */
  readonly reopen: () => void;
  /** Subscribes to all events. Returns what unsubscribes. */
  readonly follow: (listener: (event: AuditEvent) => void) => () => void;
  readonly dropped: () => number;
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}
