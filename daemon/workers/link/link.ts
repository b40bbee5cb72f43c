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
  /** A batch is in flight or about to be sent. */
  let isBusy = false;
  /** One of the waiting messages cannot wait. */
  let isUrgent = false;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;

  const begin = () => {
    if (isBusy) return;
    isBusy = true;
    clearTimeout(timer);
    setImmediate(flush); // collects everything that this turn of the event loop posts
  };
  const flush = () => {
    const batch = waiting;
    waiting = batch.splice(mostAtOnce);
    isUrgent = waiting.length > 0;
    dueAt = Number.POSITIVE_INFINITY;
    send(batch, sent);
  };
  const sent = () => {
    if (isUrgent) return flush();
    isBusy = false;
    if (waiting.length > 0) arm();
  };
  const arm = () => {
    clearTimeout(timer);
    timer = setTimeout(begin, Math.max(0, dueAt - performance.now()));
  };
  return {
    post: (item) => {
      waiting.push(item);
      isUrgent = true;
      begin();
    },
    postLater: (item, ms) => {
      waiting.push(item);
      isUrgent ||= waiting.length >= mostAtOnce;
      const at = performance.now() + ms;
      const isSooner = at < dueAt;
      if (isSooner) dueAt = at;
      if (isUrgent) begin();
      else if (isSooner && !isBusy) arm();
    },
    size: () => waiting.length,
  };
}
