/** Messages to another process in batches: while one is on its way the next gathers. */

export interface Link<Item> {
  readonly post: (item: Item) => void;
  /** How many wait. */
  readonly size: () => number;
  /** Resolves when nothing waits and nothing is on its way. */
  readonly drained: () => Promise<void>;
}

/** `send` calls back when a batch was handed over, or the other process is gone. */
export function createLink<Item>(send: (batch: readonly Item[], sent: () => void) => void): Link<Item> {
  let waiting: Item[] = [];
  let isBusy = false;
  let tell = () => {};

  const flush = () => {
    if (waiting.length === 0) {
      isBusy = false;
      return tell();
    }
    const batch = waiting;
    waiting = [];
    send(batch, flush);
  };
  return {
    post: (item) => {
      waiting.push(item);
      if (isBusy) return;
      isBusy = true;
      setImmediate(flush); // what else comes in this turn goes along
    },
    size: () => waiting.length,
    drained: () =>
      new Promise((resolve) => {
        if (isBusy) tell = resolve;
        else resolve();
      }),
  };
}
