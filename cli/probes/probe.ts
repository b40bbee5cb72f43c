/** A probe: requests that are sent as raw bytes. The policy gives their expected outcome. */

/** Sources of probes, in the order of display. */
export const probeSources = [
  'specification',
  'match',
  'near_miss',
  'upgrade',
  'banned',
  'wire',
  'vector',
  'browser',
] as const;
export const tcpSources = ['relay', 'gate', 'login', 'ban', 'api'] as const;
export type TcpSource = (typeof tcpSources)[number];
/** `case` is a case of a suite file. */
export type ProbeSource = (typeof probeSources)[number] | TcpSource | 'case';

/** Strings are Latin-1: one character is one byte. */
export interface ProbeRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly host?: string;
  /** True when the head announces a body that is never sent. */
  readonly withheld?: boolean;
}

export interface Probe {
  /** Unique in a probe set, such as `match:env-file`. */
  readonly id: string;
  readonly source: ProbeSource;
  readonly description: string;
  /** Sent in one write. */
  readonly requests: readonly ProbeRequest[];
  /** Expected status of the backend. Absent: 200 of the echo, any status of another backend. */
  readonly status?: number;
}

/** A probe that cannot be sent, or would prove nothing with this policy. */
export interface Skipped {
  readonly id: string;
  readonly source: ProbeSource;
  readonly reason: string;
}

export const isSkipped = (row: Probe | Skipped): row is Skipped => 'reason' in row;

export function requestFor(target: string, method = 'GET'): ProbeRequest {
  return { method, target, headers: [] };
}
