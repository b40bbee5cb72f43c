/** A probe: requests that are sent to a sandbox as raw bytes, and why. What must come back is computed, not written down. */

/** Where probes come from, in the order they are sent and shown. */
export const probeSources = ['specification', 'match', 'near_miss', 'wire', 'vector', 'browser'] as const;
/** Those of tcp-guard. */
export const tcpSources = ['relay', 'gate', 'login', 'ban', 'api'] as const;
export type TcpSource = (typeof tcpSources)[number];
export type ProbeSource = (typeof probeSources)[number] | TcpSource;

/** A request as it goes on the wire. Strings are latin1: one character is one byte. */
export interface ProbeRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly host?: string;
  /** The body is announced and never sent. */
  readonly withheld?: boolean;
}

export interface Probe {
  /** Unique in its suite, such as `match:env-file`. */
  readonly id: string;
  readonly source: ProbeSource;
  readonly description: string;
  /** Sent in one write: more than one are pipelined, on a connection of their own. */
  readonly requests: readonly ProbeRequest[];
}

/** A probe that cannot be sent or would prove nothing here. */
export interface Skipped {
  readonly id: string;
  readonly source: ProbeSource;
  readonly reason: string;
}

export const isSkipped = (row: Probe | Skipped): row is Skipped => 'reason' in row;

/** A request for `target` and nothing else. */
export function requestFor(target: string, method = 'GET'): ProbeRequest {
  return { method, target, headers: [] };
}
