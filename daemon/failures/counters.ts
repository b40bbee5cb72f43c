import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import type { Failure } from './tracker.ts';

export interface Counter {
  /** Failures with the same key are counted together. */
  readonly key: string;
  /** The number of failures that leads to a ban. */
  readonly after: number;
  readonly windowMs: number;
}

export type CountersOf = (failure: Failure) => readonly Counter[];

const windowOf = ({ global }: Daemon): number => parseDuration(global.failure_window) ?? 0;

/**
 * The counters of a failure. A service with its own limit has a separate counter. A failure also counts in the counter
 * of all services, unless the limit of its service is 0 or above the global limit: failures on a lenient service must
 * not lead to a ban by the lower global limit. Sources of the intake of one group, and port scans, with equal limits share a
 * counter.
 */
export function countersOf(config: Daemon): CountersOf {
  const common = config.global.ban_after_failures;
  const windowMs = windowOf(config);
  const numberOf = (service: string | undefined): number | undefined =>
    service === undefined ? undefined : config.services[service]?.ban_after_failures;

  return ({ service, origin, group = '', after, windowMs: ownWindow = windowMs }) => {
    if (after !== undefined)
      return [{ key: `${origin} ${service ?? ''} ${group} ${after} ${ownWindow}`, after, windowMs: ownWindow }];
    const own = numberOf(service);
    const counters: Counter[] = [];
    if (own !== undefined && own > 0) counters.push({ key: service ?? '', after: own, windowMs });
    if (common > 0 && (own === undefined || (own > 0 && own <= common)))
      counters.push({ key: '', after: common, windowMs });
    return counters;
  };
}
