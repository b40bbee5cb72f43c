/**
 * Sends messages to another process in batches. While a batch is in flight, new messages are collected for the next
 * one.
 */

export interface Link<Item> {
  readonly post: (item: Item) => void;
  /** Queues a message that is not urgent. It is sent with the next `post`, after `ms` at the latest. */
  readonly postLater: (item: Item, ms: number) => void;
  /** The number of queued messages. */
  readonly size: () => number;
}

/**
 * How long a freed slot and a record wait for other messages, milliseconds. Sending costs both processes a noticeable
 * part of the time of a connection. The messages of a batch share that cost.
 */
export const laterMs = { slot: 2, record: 20 } as const;
/** The largest batch, so that a batch does not grow with the queue. Most messages have less than 300 bytes. */
const mostAtOnce = 1000;

/** `send` calls `sent` when the batch was handed over or the other process has ended. */
export function createLink<Item>(send: (batch: readonly Item[], sent: () => void) => void): Link<Item> {
  let waiting: Item[] = [];
  /** Whether a batch is in flight or about to be sent. */
  let isBusy = false;
  /** Whether one of the queued messages is urgent. */
  let isUrgent = false;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;

  const begin = () => {
    if (isBusy) return;
    isBusy = true;
    clearTimeout(timer);
    setImmediate(flush); // collect all messages of this turn of the event loop
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
