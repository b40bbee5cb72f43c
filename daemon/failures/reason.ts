/** The reason of a ban: `ssh: 5 failed logins in 60s`. */
import type { Failure } from './tracker.ts';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** A length of time in the largest unit that divides it; `60s` rather than `1m`, as windows are written. */
export function formatWindow(ms: number): string {
  const [unit, size] = units.find(([name, length]) => ms % length === 0 && (ms > length || name === 's')) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

/** Words of ours, which take an `s`; what others report is quoted as it is. */
const isOurs = ({ origin }: Failure): boolean => origin !== 'api';

function counted(count: number, trigger: string, failure: Failure): string {
  if (!isOurs(failure)) return `${count} x ${trigger}`;
  return `${count} ${trigger}${count === 1 ? '' : 's'}`;
}

/** Whose failures they are when no service is named. */
const names = { local: 'all services', api: 'reports', intake: 'gateways', port_scan: 'port scan' } as const;

export interface Tally {
  readonly count: number;
  readonly windowMs: number;
  /** Services, and triggers, of the failures that were counted. */
  readonly services: ReadonlySet<string>;
  readonly triggers: ReadonlySet<string>;
}

/** `last`: the failure that was one too many. */
export function reasonOf({ count, windowMs, services, triggers }: Tally, last: Failure): string {
  const name = services.size > 0 ? [...services].join(', ') : names[last.origin];
  const what = triggers.size === 1 ? counted(count, last.trigger, last) : `${count} failures`;
  return `${name}: ${what} in ${formatWindow(windowMs)}`;
}
