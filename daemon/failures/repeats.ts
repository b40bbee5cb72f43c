/**
 * Recognizes passwords that an address has already failed with, by their fingerprints: a browser or a phone sends an old
 * password several times. While the table is full, further passwords are not recognized, and each failure counts.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

export class Repeats {
  /** When each password counted, milliseconds since the epoch. Oldest first. */
  readonly #countedAt = new Map<string, number>();
  readonly #most: number;

  constructor(most: number = daemonBounds.countedPasswords) {
    this.#most = most;
  }

  get size(): number {
    return this.#countedAt.size;
  }

  /**
   * Whether the password counted after `since`, and not in the future: the clock may have been set back. Otherwise it
   * counts now. `since`: the start of the window or the last unban of the address.
   */
  has(password: string, since: number, now: number): boolean {
    const at = this.#countedAt.get(password);
    if (at !== undefined && at > since && at <= now) return true;
    this.#countedAt.delete(password); // `set` then adds it at the end
    if (this.#countedAt.size < this.#most) this.#countedAt.set(password, now);
    return false;
  }

  /** Forgets passwords that counted before the window, or in the future. */
  forget(since: number, now: number): void {
    for (const [password, at] of this.#countedAt) {
      if (at > since && at <= now) return;
      this.#countedAt.delete(password);
    }
  }
}
