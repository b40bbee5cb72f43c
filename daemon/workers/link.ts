/** Sends messages to another process in batches. New messages gather while a batch is in flight. */

export interface Link<Item> {
  readonly post: (item: Item) => void;
  /** For messages that no one waits for. They go with the next `post`, and at the latest after some milliseconds. */
  readonly postLater: (item: Item) => void;
  /** The number of queued messages. */
  readonly size: () => number;
}

/** Sending a message costs both processes a noticeable share of a connection. A batch divides that cost. */
const laterMs = 2;

/** `send` calls back when the batch was handed over, or when the other process has ended. */
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
    setImmediate(flush); // collects everything that this turn of the event loop posts
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
