/** Waits for a disk that may never respond: callers wait only for a time, and the response counts whenever it arrives. */

/** Milliseconds after which an order without a response counts as failed. Each report of an order begins them again. */
export interface StallMs {
  readonly write: number;
  readonly load: number;
}

export class Patience {
  /** Whether the current order has no response in time. */
  isStalled = false;
  #stalled = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  /** Resolves with the response. `onStall` is called when it takes longer than `ms`. */
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

  /** Begins the time again. */
  refresh(): void {
    this.#timer?.refresh();
  }

  /** Resolves with whether the work was done before an order stalled. */
  async unlessStalled(work: Promise<unknown>): Promise<boolean> {
    await Promise.race([work, this.#stalled.promise]);
    return !this.isStalled;
  }
}
