/** Messages to another process in batches: while one is on its way the next gathers. */

export interface Link<Item> {
  readonly post: (item: Item) => void;
  /** For what nobody waits for: it goes with the next that is posted, and after some milliseconds in any case. */
  readonly postLater: (item: Item) => void;
  /** How many wait. */
  readonly size: () => number;
}

/** A message costs both processes as much as a small part of a connection: together they cost a part of that. */
const laterMs = 2;

/** `send` calls back when a batch was handed over, or the other process is gone. */
export function createLink<Item>(send: (batch: readonly Item[], sent: () => void) => void): Link<Item> {
  let waiting: Item[] = [];
  let isBusy = false;
  let later: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(later);
    later = undefined;
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    const batch = waiting;
    waiting = [];
    send(batch, flush);
  };
  const begin = () => {
    if (isBusy) return;
    isBusy = true;
    setImmediate(flush); // what else comes in this turn goes along
  };
  return {
    post: (item) => {
      waiting.push(item);
      begin();
    },
    postLater: (item) => {
      waiting.push(item);
      if (!isBusy) later ??= setTimeout(begin, laterMs);
    },
    size: () => waiting.length,
  };
}
