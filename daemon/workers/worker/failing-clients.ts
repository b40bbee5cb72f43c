/** A worker's copy of the clients whose logins failed. The coordinator limits their connections. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

export class FailingClients {
  /** When a failure of a client was last reported, by the key of the client. Oldest first. */
  readonly #failedAt = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(key: string): void {
    this.#failedAt.delete(key);
    const oldest = this.#failedAt.size >= daemonBounds.rateKeys ? this.#failedAt.keys().next().value : undefined;
    if (oldest !== undefined) this.#failedAt.delete(oldest);
    this.#failedAt.set(key, this.#now());
  }

  /** Whether the client failed within `windowMs`. Unbans are not replicated: a failure before an unban still counts. */
  has(key: string, windowMs: number): boolean {
    const at = this.#failedAt.get(key);
    if (at === undefined) return false;
    if (this.#now() - at < windowMs) return true;
    this.#failedAt.delete(key);
    return false;
  }
}
