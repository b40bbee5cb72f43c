/**
 * Limits of an IPv6 /48, the largest network that a site usually gets (RFC 6177). A client can continue from /64 to
 * /64. Bans count too, for at most the duration of a ban: otherwise a slow client could use one /64 after the other.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import type { Counter } from './counters.ts';

export const siteBits = 48;

export interface SiteLimits {
  /** Multiplies the limits of the counters that apply to a failure. */
  readonly failures: (counters: readonly Counter[]) => readonly Counter[];
  /** The counter of bans in the site. */
  readonly bans: readonly [Counter];
}

/** Returns undefined when sites are not limited. */
export function siteLimitsOf({ global: { ban_site_factor: factor, ban_duration } }: Daemon): SiteLimits | undefined {
  if (factor === 0) return undefined;
  const windowMs = Math.min(parseDuration(ban_duration) ?? 0, daemonBounds.siteBansMs);
  return {
    failures: (counters) => counters.map((counter) => ({ ...counter, after: counter.after * factor })),
    bans: [{ key: ' bans', after: factor, windowMs }],
  };
}
