/** Decides what the lines of a source count. The daemon and its rehearsal on old logs have this in common. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { isPrivate } from '../../contract/values/private.ts';
import type { ConfigurableFailureTracker } from '../failures/index.ts';
import type { Sighting, Source } from './reading.ts';
import type { Outcome } from './source-state.ts';
import type { Users } from './users.ts';

export interface CounterOptions {
  readonly config: Daemon;
  readonly failures: Pick<ConfigurableFailureTracker, 'fail' | 'isExempt'>;
  readonly now: () => number;
}

/** @param line the line that says it, for the evidence of a ban; undefined: none is kept */
export type Count = (sighting: Sighting, line: string | undefined) => Outcome;

/**
 * Returns a function that counts what one line says of a client, unless it is older than the window. It counts no more
 * than a ban needs, all at once: ten thousand for each client of a sum would take seconds one by one.
 */
export function createCounter(source: Source, users: Users, { failures, now, config }: CounterOptions): Count {
  const windowMs = parseDuration(source.window) as number;
  const isSpared = (ip: string): boolean =>
    failures.isExempt(ip) || (source.format !== 'guard' && !config.bans.ban_private && isPrivate(ip));
  return ({ ip, at, count, outcome, trigger, group, user, after = source.after }, line) => {
    if (outcome === 'unforwarded') return 'unforwarded';
    if (at !== undefined && now() - at > windowMs) return 'late';
    if (outcome === 'success') {
      if (user !== undefined) users.succeed(ip, user, now());
      return 'ignored';
    }
    if (isSpared(ip)) return 'exempt';
    const counted = user === undefined ? count : users.counted(ip, user, { group, windowMs, now: now(), count });
    if (counted === 0) return 'ignored';
    const failure = {
      ip,
      trigger,
      group,
      origin: 'intake',
      after,
      windowMs,
      ...(line !== undefined && { line }),
    } as const;
    failures.fail({ ...failure, count: Math.min(counted, after), ...(at !== undefined && { at }) });
    return 'counted';
  };
}
