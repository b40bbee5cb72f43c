/**
 * Decides which failed logins of a log count. A phone or a mail client sends an old password several times, and servers
 * write two lines for one login.
 */
import { createHash } from 'node:crypto';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { loginGroup } from './reading.ts';

interface Failures {
  count: number;
  readonly since: number;
}

/** Adds an entry as the newest, and drops the oldest of a full table. */
function put<Value>(table: Map<string, Value>, key: string, value: Value): void {
  table.delete(key);
  table.set(key, value);
  if (table.size <= daemonBounds.intakeUsers) return;
  for (const oldest of table.keys()) {
    table.delete(oldest);
    return;
  }
}

/** A hash, because names of users can be long, and successes are stored. */
const keyOf = (ip: string, user: string): string =>
  createHash('sha256').update(`${ip} ${user}`).digest('base64url').slice(0, 22);

interface Reported {
  /** See `Sighting`: each group counts for itself. */
  readonly group: string;
  readonly windowMs: number;
  readonly now: number;
  /** Failed logins that the line reports. */
  readonly count: number;
}

/** How many of the first `failures` of a user count. */
const ofKnown = (failures: number): number => Math.min(failures, 2);
const ofUnknown = (failures: number): number => Math.min(Math.ceil(failures / 2), 2) + Math.max(failures - 4, 0);

export class Users {
  readonly #failures = new Map<string, Failures>();
  /** When each user logged in last from an address, milliseconds since the epoch. */
  readonly #successes: Map<string, number>;

  readonly #onSuccess: () => void;

  /** @param onSuccess is called when `successes` has changed */
  constructor(successes: readonly (readonly [string, number])[], onSuccess: () => void) {
    this.#successes = new Map(successes);
    this.#onSuccess = onSuccess;
  }

  /** The same map each time, which changes. */
  get successes(): ReadonlyMap<string, number> {
    return this.#successes;
  }

  succeed(ip: string, user: string, now: number): void {
    const key = keyOf(ip, user);
    put(this.#successes, key, now);
    this.#failures.delete(`${loginGroup} ${key}`);
    this.#onSuccess();
  }

  /**
   * How many of the failed logins that a line reports count. Of the first four of a user from an address within the window, two count as one; each
   * further one counts. Where the user logged in from the address during the last days, at most two count.
   */
  counted(ip: string, user: string, { group, windowMs, now, count }: Reported): number {
    const key = keyOf(ip, user);
    const counter = `${group} ${key}`;
    const known = this.#failures.get(counter);
    const isOpen = known !== undefined && now >= known.since && now - known.since <= windowMs;
    const failures = isOpen ? known : { count: 0, since: now };
    put(this.#failures, counter, failures);
    const weigh = this.#isKnown(key, now) ? ofKnown : ofUnknown;
    const before = weigh(failures.count);
    failures.count += count;
    return weigh(failures.count) - before;
  }

  #isKnown(key: string, now: number): boolean {
    const at = this.#successes.get(key);
    return at !== undefined && now >= at && now - at <= daemonBounds.intakeSuccessMs;
  }
}
