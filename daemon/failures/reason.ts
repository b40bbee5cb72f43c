/** The reason of a ban: `ssh: 5 failed logins in 60s`. */
import type { Failure } from './tracker.ts';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** Uses the largest unit that divides the window and is shorter: one minute is `60s`, as in configurations. */
export function formatWindow(ms: number): string {
  const [unit, size] = units.find(([name, length]) => ms % length === 0 && (ms > length || name === 's')) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

/** Whether the trigger is a noun of the daemon, which takes a plural `s`. A report to the API can contain any text. */
const isDaemonTrigger = ({ origin }: Failure): boolean => origin !== 'api';

function countText(count: number, trigger: string, failure: Failure): string {
  if (!isDaemonTrigger(failure)) return `${count} x ${trigger}`;
  return `${count} ${trigger}${count === 1 ? '' : 's'}`;
}

/** The subject when the failures name no service. */
const subjects = { local: 'all services', api: 'reports', intake: 'logs', port_scan: 'port scan' } as const;

export interface Tally {
  readonly count: number;
  readonly windowMs: number;
  readonly services: ReadonlySet<string>;
  readonly triggers: ReadonlySet<string>;
}

/** The reason of a ban. `last`: the failure that reached the limit. */
export function reasonOf({ count, windowMs, services, triggers }: Tally, last: Failure): string {
  const name = services.size > 0 ? [...services].join(', ') : subjects[last.origin];
  const what = triggers.size === 1 ? countText(count, last.trigger, last) : `${count} failures`;
  return `${name}: ${what} in ${formatWindow(windowMs)}`;
}
