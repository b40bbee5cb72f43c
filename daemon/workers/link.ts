/** Sends messages to another process in batches. New messages gather while a batch is in flight. */

export interface Link<Item> {
  readonly post: (item: Item) => void;
  /** For messages that no one waits for. They go with the next `post`, and at the latest after `ms`. */
  readonly postLater: (item: Item, ms: number) => void;
  /** The number of queued messages. */
  readonly size: () => number;
}

/**
 * Sending a message costs both processes a noticeable share of a connection. A batch divides that cost. Milliseconds that a
 * freed slot and a record may wait for others.
 */
export const laterMs = { slot: 2, record: 20 } as const;
/** Messages of one batch, so that no batch grows with the queue: most have less than 300 bytes. */
const mostAtOnce = 1000;

/** `send` calls back when the batch was handed over, or when the other process has ended. */
export function createLink<Item>(send: (batch: readonly Item[], sent: () => void) => void): Link<Item> {
  let waiting: Item[] = [];
  let isBusy = false;
  let later: NodeJS.Timeout | undefined;
  let laterAt = 0;

  const flush = () => {
    clearTimeout(later);
    later = undefined;
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    const batch = waiting;
    waiting = batch.splice(mostAtOnce);
    send(batch, flush);
  };
  const begin = () => {
    if (isBusy) return;
    isBusy = true;
    setImmediate(flush); // collects everything that this turn of the event loop posts
  };
  return {
    post: (item) => {
      waiting.push(item);
      begin();
    },
    postLater: (item, ms) => {
      waiting.push(item);
      const at = performance.now() + ms;
      if (isBusy || (later && laterAt <= at)) return;
      clearTimeout(later);
      laterAt = at;
      later = setTimeout(begin, ms);
    },
    size: () => waiting.length,
  };
}
