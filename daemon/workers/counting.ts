/** The counts of a worker, reported to the coordinator as differences: nothing is counted twice and no count decreases. */
import { bytesOf, type Counts, noCounts } from '../stats/counts.ts';
import type { Added, FromWorker } from './messages.ts';

type Counted = Omit<Extract<FromWorker, { kind: 'counted' }>, 'kind'>;

export interface Counting {
  /** The counts of a service. They live as long as the process. */
  readonly of: (service: string) => Counts;
  /** What was added since the previous call. Undefined: nothing. */
  readonly added: (held: number, dropped: number) => Counted | undefined;
}

const nothing: Added = { allowed: 0, blocked: 0, bytesIn: 0, bytesOut: 0 };

const sumOf = (counts: Counts): Added => ({ allowed: counts.allowed, blocked: counts.blocked, ...bytesOf(counts) });

const difference = (now: Added, before: Added): Added => ({
  allowed: now.allowed - before.allowed,
  blocked: now.blocked - before.blocked,
  bytesIn: now.bytesIn - before.bytesIn,
  bytesOut: now.bytesOut - before.bytesOut,
});

const isNothing = (added: Added): boolean => Object.values(added).every((count) => count === 0);

export function createCounting(): Counting {
  const counts = new Map<string, Counts>();
  const reported = new Map<string, Added>();
  const last = { held: 0, dropped: 0 };

  const addedTo = (service: string, now: Added): [string, Added][] => {
    const added = difference(now, reported.get(service) ?? nothing);
    reported.set(service, now);
    return isNothing(added) ? [] : [[service, added]];
  };
  return {
    of: (service) => {
      const known = counts.get(service) ?? noCounts();
      counts.set(service, known);
      return known;
    },
    added: (held, dropped) => {
      const services = Object.fromEntries([...counts].flatMap(([name, of]) => addedTo(name, sumOf(of))));
      const lost = dropped - last.dropped;
      const isSame = held === last.held && lost === 0 && Object.keys(services).length === 0;
      Object.assign(last, { held, dropped });
      return isSame ? undefined : { services, held, dropped: lost };
    },
  };
}
