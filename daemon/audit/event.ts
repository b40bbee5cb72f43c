/** The audit record: one JSON line per event, and the data of a server-sent event. */

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
  /** How many equal events this one stands for, in a flood. */
  readonly count?: number;
  /** Level debug: what the inspector learnt, escaped. */
  readonly facts?: Readonly<Record<string, string>>;
}

export interface Audit {
  /** Never waits and never throws: what cannot be written is counted. */
  readonly record: (event: AuditEvent) => void;
  /** A fault of the daemon itself, at level error. */
  readonly fault: (message: string) => void;
  /** Opens the file anew, for log rotation. */
  readonly reopen: () => void;
  /** Everybody who follows events: the API. Returns what ends it. */
  readonly follow: (listener: (event: AuditEvent) => void) => () => void;
  readonly dropped: () => number;
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}
