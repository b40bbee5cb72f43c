/** The counts of a worker. It reports the differences to the coordinator. */

import { isDeepStrictEqual } from 'node:util';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { ThreatFeed } from '../../feed/feed.ts';
import { bytesOf, type Counts, countNames, noCounts } from '../../stats/counts.ts';
import type { AddedCounts, CheckedOutcome, FromWorker } from '../link/messages.ts';

type Outcome = Parameters<ThreatFeed['account']>[0];
type Counted = Omit<Extract<FromWorker, { kind: 'counted' }>, 'kind'>;

export interface Counting {
  /** The counts of a service. They are kept until the process ends. */
  readonly of: (service: string) => Counts;
  /** Counts a connection whose client was looked up in the threat feed. */
  readonly account: ThreatFeed['account'];
  /** The counts since the previous call, and the numbers in `current`. Undefined when nothing changed. */
  readonly added: (
    current: Pick<Counted, 'tarpitCount' | 'admittedCounts'> & { readonly dropped: number },
  ) => Counted | undefined;
}

const snapshotOf = (counts: Counts): AddedCounts => ({
  allowed: counts.allowed,
  blocked: counts.blocked,
  ...bytesOf(counts),
});

const difference = (now: AddedCounts, before: AddedCounts | undefined) =>
  Object.fromEntries(countNames.map((name) => [name, now[name] - (before?.[name] ?? 0)])) as AddedCounts;

const isNothing = (added: AddedCounts): boolean => Object.values(added).every((count) => count === 0);

export function createCounting(): Counting {
  const counts = new Map<string, Counts>();
  const reported = new Map<string, AddedCounts>();
  const outcomes = new Map<string, { readonly outcome: Outcome; count: number }>();
  let last: Parameters<Counting['added']>[0] = { tarpitCount: 0, admittedCounts: {}, dropped: 0 };

  const addedTo = (service: string, now: AddedCounts): [string, AddedCounts][] => {
    const added = difference(now, reported.get(service));
    reported.set(service, now);
    return isNothing(added) ? [] : [[service, added]];
  };
  return {
    of: (service) => {
      const serviceCounts = counts.get(service) ?? noCounts();
      counts.set(service, serviceCounts);
      return serviceCounts;
    },
    account: (outcome, count = 1) => {
      const key = `${outcome.isIpv6} ${outcome.remediation ?? ''} ${outcome.origin ?? ''}`;
      const existing = outcomes.get(key);
      if (existing) existing.count += count;
      else if (outcomes.size < daemonBounds.feedUsageItems) outcomes.set(key, { outcome, count });
    },
    added: (current) => {
      const services = Object.fromEntries([...counts].flatMap(([name, of]) => addedTo(name, snapshotOf(of))));
      const checked = [...outcomes.values()].map(({ outcome, count }): CheckedOutcome => [outcome, count]);
      outcomes.clear();
      const isSame = isDeepStrictEqual(current, last) && checked.length === 0 && Object.keys(services).length === 0;
      const lost = current.dropped - last.dropped;
      last = current;
      return isSame
        ? undefined
        : {
            services,
            checked,
            tarpitCount: current.tarpitCount,
            admittedCounts: current.admittedCounts,
            dropped: lost,
          };
    },
  };
}
