/** The records of /stats and /services of the management API (docs/api.md). */

export interface ServiceStats {
  readonly active_connections: number;
  readonly total_allowed: number;
  readonly total_blocked: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
}

export interface ServiceInfo {
  readonly name: string;
  readonly protocol: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
}

/** Fill level of a bounded table. */
export interface TableStats {
  readonly entries: number;
  readonly capacity: number;
}
