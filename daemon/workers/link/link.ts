/** Sends messages to another process in batches. While a batch is in flight, new messages are collected. */

export interface Link<Item> {
  readonly post: (item: Item) => void;
  /**
   * Queues a message that is not urgent. It is sent with the next `post`, or after `ms`. A function is called when the
   * message is sent, and returns it.
   */
  readonly postLater: (item: Item | (() => Item), ms: number) => void;
  readonly size: () => number;
}

/** Milliseconds that a freed slot and a record wait for other messages, which then share the cost of sending. */
export const laterMs = { slot: 2, record: 20 } as const;
/** The largest number of messages in a batch. Most have less than 300 bytes; one of records has up to 80 KB. */
const mostAtOnce = 1000;

/** `sent`: called when the batch was handed over, or the other process has ended. */
export function createLink<Item extends object | number | string>(
  send: (batch: readonly Item[], sent: () => void) => void,
): Link<Item> {
  let waiting: (Item | (() => Item))[] = [];
  /** Whether a batch is in flight, or about to be. */
  let isBusy = false;
  /** Whether the queue is sent without a delay: a message is urgent, or the queue has reached the size of a batch. */
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
    send(
      batch.map((item) => (typeof item === 'function' ? item() : item)),
      sent,
    );
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
