import type { RehearsedClient, RehearsedSource, SparedClient } from '../../../daemon/intake/rehearsal.ts';

export interface BansResult {
  readonly type: 'bans';
  /** Path of the configuration of tcp-guard. */
  readonly config: string;
  readonly sources: readonly RehearsedSource[];
  /** The addresses and networks that would have been banned, in the order of their first ban. */
  readonly banned: readonly RehearsedClient[];
  /** Addresses with failures that are never banned, most failures first. */
  readonly spared: readonly SparedClient[];
  /** Lines with a failure or a login, but without a time in a known form: they do not count. */
  readonly undated: number;
  /** Logs that could not be read, with the reason. */
  readonly problems: readonly string[];
  /** What to change before bans are of use, such as an address of a CDN in place of the client. */
  readonly notices: readonly string[];
}
