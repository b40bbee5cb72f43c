/** Waits for a disk that may not respond. Callers wait a limited time. A late response is still used. */
/**
 * Milliseconds after which an order without a response counts as stalled. Each report of the thread restarts the time.
 */
export interface StallMs {
  readonly write: number;
  readonly load: number;
}

export class Patience {
  /** Whether the current order is overdue. */
  isStalled = false;
  #stalled = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  /** Resolves with the response. Calls `onStall` when the response takes longer than `ms`. */
  async wait<T>(response: Promise<T>, ms: number, onStall: () => void): Promise<T> {
    this.#timer = setTimeout(() => {
      this.isStalled = true;
      onStall();
      this.#stalled.resolve();
    }, ms);
    try {
      return await response;
    } finally {
      clearTimeout(this.#timer);
      if (this.isStalled) this.#stalled = Promise.withResolvers();
      this.isStalled = false;
    }
  }

  /** Restarts the time of the current order. */
  refresh(): void {
    this.#timer?.refresh();
  }

  /** Waits until the work is done or an order stalls. Resolves with true when the work was done first. */
  async unlessStalled(work: Promise<unknown>): Promise<boolean> {
    await Promise.race([work, this.#stalled.promise]);
    return !this.isStalled;
  }
}
