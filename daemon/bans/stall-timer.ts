/** Waits for a disk that may not respond, and bounds the time for which callers wait. */

/** Milliseconds without a report from the store's thread after which the disk counts as stalled. */
export interface StallMs {
  readonly write: number;
  readonly load: number;
}

export class StallTimer {
  isStalled = false;
  #stalled = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  /** Resolves with the response, also when it is late. Calls `onStall` after `ms` without a response or `refresh`. */
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

  /** Resolves with true when the work is done, or with false when a response is overdue. */
  async unlessStalled(work: Promise<unknown>): Promise<boolean> {
    await Promise.race([work, this.#stalled.promise]);
    return !this.isStalled;
  }
}
