/** Lines of several logs in the order of their times. */
import type { Sighting } from '../../../daemon/intake/reading.ts';

/** A line that says something of a client. */
export interface LogEvent {
  /** Index of the source in `intake`. */
  readonly source: number;
  /** When the line was written, milliseconds since the epoch. */
  readonly at: number;
  readonly sightings: readonly Sighting[];
}

/** Each batch is in the order of its log. */
export type LogEvents = AsyncGenerator<readonly LogEvent[], void>;

class Stream {
  readonly #events: LogEvents;
  #batch: readonly LogEvent[] = [];
  #next = 0;

  constructor(events: LogEvents) {
    this.#events = events;
  }

  get head(): LogEvent | undefined {
    return this.#batch[this.#next];
  }

  /** Reads the next batch with an event. Afterwards `head` is undefined only at the end. */
  async fill(): Promise<void> {
    while (this.#next >= this.#batch.length) {
      const { done, value } = await this.#events.next();
      if (done) return;
      this.#batch = value;
      this.#next = 0;
    }
  }

  /** @returns whether the batch is over */
  skip(): boolean {
    this.#next += 1;
    return this.#next >= this.#batch.length;
  }
}

/** Calls `onEvent` with the events of all logs in the order of their times. Holds one batch of each log. */
export async function inOrder(logs: readonly LogEvents[], onEvent: (event: LogEvent) => void): Promise<void> {
  const streams = logs.map((events) => new Stream(events));
  for (const stream of streams) await stream.fill();
  for (;;) {
    let first: Stream | undefined;
    for (const stream of streams)
      if (stream.head && (first?.head === undefined || stream.head.at < first.head.at)) first = stream;
    if (!first?.head) return;
    onEvent(first.head);
    if (first.skip()) await first.fill();
  }
}
