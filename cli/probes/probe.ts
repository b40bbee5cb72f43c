/**
 * A probe: requests that are sent to a sandbox as raw bytes, and their purpose. The expected outcome is computed and
 * not stored.
 */

/** Sources of probes, in the order of sending and display. */
export const probeSources = ['specification', 'match', 'near_miss', 'wire', 'vector', 'browser'] as const;
/** Sources of tcp-guard probes. */
export const tcpSources = ['relay', 'gate', 'login', 'ban', 'api'] as const;
export type TcpSource = (typeof tcpSources)[number];
/** Source of a probe. `case` is a case of a suite file. */
export type ProbeSource = (typeof probeSources)[number] | TcpSource | 'case';

/** A request on the wire. Strings are Latin-1: one character is one byte. */
export interface ProbeRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly host?: string;
  /** True: the head announces a body that is never sent. */
  readonly withheld?: boolean;
}

export interface Probe {
  /** Id such as `match:env-file`, unique in a probe set. */
  readonly id: string;
  readonly source: ProbeSource;
  readonly description: string;
  /** Sent in one write. Several requests are pipelined on a dedicated connection. */
  readonly requests: readonly ProbeRequest[];
  /** Expected status of a request that reaches the backend. Absent: the status of the echo, or any status of another backend. */
  readonly status?: number;
}

/** A probe that cannot be sent, or that would prove nothing with this policy. */
export interface Skipped {
  readonly id: string;
  readonly source: ProbeSource;
  readonly reason: string;
}

export const isSkipped = (row: Probe | Skipped): row is Skipped => 'reason' in row;

/** Returns a request with a method and a target, without headers and body. */
export function requestFor(target: string, method = 'GET'): ProbeRequest {
  return { method, target, headers: [] };
}
