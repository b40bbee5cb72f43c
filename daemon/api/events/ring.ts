/** The last events, ready to be written, by their number. Bounded in events and in bytes. */
import type { AuditEvent } from '../../audit/event.ts';

export interface Entry {
  readonly event: AuditEvent;
  /** The event as it stands in the stream. */
  readonly frame: Buffer;
}

export interface Ring {
  readonly push: (event: AuditEvent) => void;
  /** Undefined: it is not kept any more, or has not been yet. */
  readonly at: (number: number) => Entry | undefined;
  /** Number of the oldest event that is kept; `next` when there is none. */
  readonly oldest: () => number;
  /** Number of the next event. */
  readonly next: () => number;
}

export interface RingBounds {
  readonly apiEvents: number;
  readonly apiEventsBytes: number;
}

/** `epoch` tells this run of the daemon from others. */
export function createRing(epoch: string, { apiEvents, apiEventsBytes }: RingBounds): Ring {
  const entries = new Map<number, Entry>();
  let [oldest, next, bytes] = [1, 1, 0];
  const forget = () => {
    bytes -= entries.get(oldest)?.frame.length ?? 0;
    entries.delete(oldest);
    oldest += 1;
  };
  return {
    push: (event) => {
      const text = `id: ${epoch}-${next}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      const frame = Buffer.from(text);
      entries.set(next, { event, frame });
      next += 1;
      bytes += frame.length;
      while (entries.size > apiEvents || bytes > apiEventsBytes) forget();
    },
    at: (number) => entries.get(number),
    oldest: () => oldest,
    next: () => next,
  };
}
