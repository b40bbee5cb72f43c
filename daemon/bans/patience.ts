/** Waits for a disk that may not respond. Callers wait a limited time. A late response is still used. */

/** Milliseconds without a report from the thread of the store after which the disk counts as stalled. */
export interface StallMs {
  readonly write: number;
  readonly load: number;
}

export class Patience {
  /** Whether the current response is overdue. */
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

  /** Restarts the time for the current response. */
  refresh(): void {
    this.#timer?.refresh();
  }

  /** Waits until the work is done or a response is overdue. Resolves with true when the work was done first. */
  async unlessStalled(work: Promise<unknown>): Promise<boolean> {
    await Promise.race([work, this.#stalled.promise]);
    return !this.isStalled;
  }
}
